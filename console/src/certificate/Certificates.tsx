import { Button, Group, Modal, Stack, Table, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Problem } from '../frame/Problem.tsx'
import { download } from '../plot/download.ts'
import { useTexts } from '../texts/texts.ts'
import { useMoment } from '../time.ts'
import {
  authority,
  brokerUrls,
  type Certificate,
  certificates,
  type Issued,
  revoke
} from './api.ts'
import { IssuedCertificate } from './IssuedCertificate.tsx'
import { IssueForm } from './IssueForm.tsx'
import { RegisterForm } from './RegisterForm.tsx'
import { State } from './State.tsx'

type Props = { id: number; mayIssue: boolean; mayRevoke: boolean }

/** The client certificates of the installation, and what can be done with them. */
export function Certificates({ id, mayIssue, mayRevoke }: Props) {
  const { certificate: t } = useTexts()
  const all = useQuery(certificates(id))
  const broker = useQuery(brokerUrls)
  const [form, setForm] = useState<'issue' | 'register'>()
  const [issued, setIssued] = useState<Issued>()
  const [asked, setAsked] = useState<Certificate>()
  const moment = useMoment(id)
  const hasTls = broker.data?.urls.some((url) => url.startsWith('mqtts:')) ?? true
  const close = () => setForm(undefined)
  const closing = { closeButtonProps: { 'aria-label': t.cancel } }
  const count = (status: Certificate['status']) =>
    all.data?.filter((one) => one.status === status).length ?? 0
  const warning = t.warning(count('expired'), count('expiring'))
  return (
    <Stack component="section" aria-label={t.title} gap="xs">
      <Title order={2} size="h4">
        {t.title}
      </Title>
      <Text className="muted">{t.help}</Text>
      {!hasTls && <Text className="note">{t.noTls}</Text>}
      {warning !== '' && (
        <Text c={count('expired') > 0 ? 'var(--bad)' : 'var(--warning)'} fw={600} role="status">
          {warning}
        </Text>
      )}
      {all.isLoadingError && <Problem error={all.error} again={() => void all.refetch()} />}
      {all.data?.length === 0 && <Text>{t.none}</Text>}
      {all.data && all.data.length > 0 && (
        <Table.ScrollContainer minWidth={300} className="panel">
          <Table verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t.name}</Table.Th>
                <Table.Th>{t.ends}</Table.Th>
                <Table.Th />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {all.data.map((one) => (
                <Table.Tr key={one.id}>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>
                    {one.name}
                    <Text className="muted" size="sm" title={one.fingerprint}>
                      {one.mount ? t.below(one.mount.prefix) : t.gateway}
                      {!one.issued && `, ${t.own}`}
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    {moment(one.not_after)}
                    <State certificate={one} />
                  </Table.Td>
                  <Table.Td ta="right">
                    {mayRevoke && one.revoked === null && (
                      <Button
                        size="compact-sm"
                        variant="subtle"
                        aria-label={`${t.revoke}: ${one.name}`}
                        onClick={() => setAsked(one)}
                      >
                        {t.revoke}
                      </Button>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {mayIssue && (
        <Group gap="xs">
          <Button variant="default" onClick={() => setForm('issue')}>
            {t.issue}
          </Button>
          <Button variant="subtle" onClick={() => setForm('register')}>
            {t.register}
          </Button>
          {all.data?.some(({ issued }) => issued) && (
            <Button variant="subtle" onClick={() => void saveAuthority()}>
              {t.authority}
            </Button>
          )}
        </Group>
      )}
      <Modal opened={form === 'issue'} onClose={close} title={t.issue} {...closing} centered>
        <IssueForm
          id={id}
          onCancel={close}
          onIssued={(made) => {
            close()
            setIssued(made)
          }}
        />
      </Modal>
      <Modal opened={form === 'register'} onClose={close} title={t.register} {...closing} centered>
        <RegisterForm id={id} onDone={close} />
      </Modal>
      <IssuedCertificate issued={issued} onClose={() => setIssued(undefined)} />
      <RevokeQuestion certificate={asked} onDone={() => setAsked(undefined)} />
    </Stack>
  )
}

/** Who checks the certificates of the platform elsewhere needs its authority. */
async function saveAuthority(): Promise<void> {
  const { certificate } = await authority()
  download('caracal-ca.pem', new Blob([certificate], { type: 'application/x-pem-file' }))
}

type Question = { certificate: Certificate | undefined; onDone: () => void }

function RevokeQuestion({ certificate, onDone }: Question) {
  const { certificate: t } = useTexts()
  const going = useMutation({ mutationFn: revoke, onSuccess: onDone })
  return (
    <Modal
      opened={certificate !== undefined}
      onClose={onDone}
      title={t.revokeTitle(certificate?.name ?? '')}
      closeButtonProps={{ 'aria-label': t.keep }}
      centered
    >
      <Stack>
        <Text>{t.revokeHelp}</Text>
        {going.error && <Text c="var(--bad)">{going.error.message}</Text>}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone} data-autofocus>
            {t.keep}
          </Button>
          <Button
            color="red"
            loading={going.isPending}
            onClick={() => certificate && going.mutate(certificate)}
          >
            {t.revokeGo}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
