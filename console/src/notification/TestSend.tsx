import { Button, Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Problem } from '../frame/Problem.tsx'
import { Fault, refusal } from '../modelx/Details.tsx'
import { queryClient } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { useMoment } from '../time.ts'
import { send, sends } from './api.ts'
import { Payload } from './Payload.tsx'
import { examplePayload, readPayload } from './payload.ts'
import type { Output } from './types.ts'

const FIRST_SHOWN = 10

type Props = { output: Output; maySend: boolean; hasDraft: boolean }

/** Sends an output as it is saved, and what became of the last sends. */
export function TestSend({ output, maySend, hasDraft }: Props) {
  const { notifications: t } = useTexts()
  return (
    <Stack component="section" gap="sm" aria-label={t.sendTitle} mt="md" pb="md">
      <Title order={2} size="h4">
        {t.sendTitle}
      </Title>
      {maySend ? (
        <SendForm output={output} hasDraft={hasDraft} />
      ) : (
        <Text className="muted">{t.sendNeeds}</Text>
      )}
      <Sends output={output} />
    </Stack>
  )
}

function SendForm({ output, hasDraft }: Omit<Props, 'maySend'>) {
  const texts = useTexts()
  const { notifications: t } = texts
  const [text, setText] = useState(examplePayload)
  const payload = readPayload(text)
  const sending = useMutation({
    mutationFn: (payload: Record<string, unknown>) => send(output, payload),
    onSettled: () => queryClient.invalidateQueries({ queryKey: sends(output).queryKey })
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (payload) sending.mutate(payload)
      }}
    >
      <Stack gap="sm">
        <Payload installation_id={output.installation_id} text={text} change={setText} />
        <Text className="muted">{hasDraft ? t.sendsSaved : t.sendsReally}</Text>
        {sending.error && (
          <Fault text={refusal(sending.error, 'notification/output/send', texts)} />
        )}
        <Group gap="sm">
          <Button
            type="submit"
            variant="default"
            leftSection={<IconSend size={16} aria-hidden />}
            loading={sending.isPending}
            disabled={!payload}
          >
            {t.send}
          </Button>
          <Text role="status">{sending.isSuccess && t.sent}</Text>
        </Group>
      </Stack>
    </form>
  )
}

/** The platform keeps the last hundred. */
function Sends({ output }: { output: Output }) {
  const { notifications: t } = useTexts()
  const [isAll, setAll] = useState(false)
  const moment = useMoment(output.installation_id)
  const { data, error, refetch } = useQuery(sends(output))
  if (error) return <Problem error={error} again={() => void refetch()} />
  if (!data) return <Skeleton h={80} />
  if (data.length === 0) return <Text className="muted">{t.neverSent}</Text>
  const numbered = data.map((one, i) => ({ ...one, number: data.length - i }))
  const shown = isAll ? numbered : numbered.slice(0, FIRST_SHOWN)
  return (
    <>
      <Table verticalSpacing="xs" aria-label={t.lastSends}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.lastSends}</Table.Th>
            <Table.Th>{t.outcome}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map(({ sent, outcome, number }) => (
            <Table.Tr key={number}>
              <Table.Td>{moment(sent)}</Table.Td>
              <Table.Td
                c={outcome === 'sent' ? undefined : 'var(--bad)'}
                style={{ overflowWrap: 'anywhere' }}
              >
                {outcome === 'sent' ? t.sent : outcome}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {shown.length < data.length && (
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          onClick={() => setAll(true)}
        >
          {t.allSends(data.length)}
        </Button>
      )}
    </>
  )
}
