import '../connect/connect.css'
import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useBlocker, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Certificates } from '../certificate/Certificates.tsx'
import { Examples } from '../connect/Examples.tsx'
import { FirstValue } from '../connect/FirstValue.tsx'
import { KeyForm } from '../connect/KeyForm.tsx'
import { Keys } from '../connect/Keys.tsx'
import { deleteKey, type Key, type Made } from '../connect/key.ts'
import { NewFunction } from '../connect/NewFunction.tsx'
import { Step } from '../connect/Step.tsx'
import { Problem } from '../frame/Problem.tsx'
import { installations, queryClient, rights, tokens } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'

/** From a name to the first value of a device, on one page. */
export function ConnectPage() {
  const { connect: t } = useTexts()
  const { id } = useParams({ from: '/frame/installations/$id/connect' })
  const clientId = useQuery(installations).data?.find((one) => one.id === id)?.client_id ?? 0
  const may = useQuery(rights(id))
  const [made, setMade] = useState<Made>()
  const [hasValue, setHasValue] = useState(false)
  const navigate = useNavigate({ from: '/installations/$id/connect' })
  const begin = async () => {
    // The next device is another one. Who goes back without a value corrects this one.
    if (hasValue) await navigate({ search: {}, replace: true, resetScroll: false })
    setMade(undefined)
    setHasValue(false)
  }
  if (may.isLoadingError) return <Problem error={may.error} again={() => void may.refetch()} />
  if (!may.data) return <Skeleton h={420} radius={12} />
  const mayIssue = may.data['certificate/issue'] === true
  const mayRevoke = may.data['certificate/revoke'] === true
  const certificates = (mayIssue || mayRevoke) && <Certificates {...{ id, mayIssue, mayRevoke }} />
  if (!may.data['mqtt/publish']) {
    return (
      <Stack gap="md" maw={860}>
        <Stack className="panel" p="lg" gap="xs">
          <Text fw={600}>{t.mayNot}</Text>
          <Text className="muted">{t.mayNotHelp}</Text>
        </Stack>
        {certificates}
      </Stack>
    )
  }
  const mayRead = may.data['status/read'] === true
  const mayLook = may.data['ledger/list'] === true
  return (
    <Stack gap="md" maw={860}>
      <Step number={1} title={t.step1} isOpen>
        {made ? (
          <Group justify="space-between">
            <Text style={{ overflowWrap: 'anywhere' }} miw={0}>
              <b>{made.device.name}</b> <span className="topic">{made.device.topic}</span>
            </Text>
            <Another made={made} isUsed={hasValue} onDone={() => void begin()} />
          </Group>
        ) : (
          <KeyForm
            {...{ id, clientId, mayRead, mayLook }}
            mayListen={may.data['mqtt/subscribe'] === true}
            onMade={setMade}
          />
        )}
      </Step>
      <Step number={2} title={t.step2} isOpen={made !== undefined}>
        {made && <Examples {...{ id, clientId }} device={made.device} secret={made.key} />}
      </Step>
      <Step number={3} title={t.step3} isOpen={made !== undefined}>
        {made && (
          <FirstValue
            {...{ id, clientId, mayRead, mayLook }}
            key={made.key.id}
            device={made.device}
            before={made.before}
            onValue={() => {
              setHasValue(true)
              void queryClient.invalidateQueries(tokens)
            }}
          />
        )}
        {made && hasValue && may.data['functionx/create_delete'] && (
          <NewFunction id={id} device={made.device} />
        )}
      </Step>
      <Keys
        id={id}
        current={hasValue ? undefined : made?.key.id}
        onDeleted={(keyId) => keyId === made?.key.id && void begin()}
      />
      {certificates}
      <Leaving unused={hasValue ? undefined : made?.key} />
    </Stack>
  )
}

/** Begins again. A key that was not used can be deleted first. */
function Another({ made, isUsed, onDone }: { made: Made; isUsed: boolean; onDone: () => void }) {
  const { connect: t } = useTexts()
  const remove = useMutation({ mutationFn: deleteKey, onSuccess: onDone })
  return (
    <Group gap="xs">
      {!isUsed && (
        <Button
          variant="default"
          loading={remove.isPending}
          onClick={() => remove.mutate(made.key.id)}
        >
          {t.backAndDelete}
        </Button>
      )}
      {isUsed && (
        <Button variant="default" onClick={onDone}>
          {t.another}
        </Button>
      )}
      {remove.error && <Text c="var(--bad)">{remove.error.message}</Text>}
    </Group>
  )
}

/** Who leaves before the first value is asked what becomes of the key. */
function Leaving({ unused }: { unused: Key | undefined }) {
  const { connect: t } = useTexts()
  const blocker = useBlocker({
    shouldBlockFn: () => unused !== undefined,
    enableBeforeUnload: () => unused !== undefined,
    withResolver: true
  })
  const remove = useMutation({ mutationFn: deleteKey, onSuccess: () => blocker.proceed?.() })
  const isAsked = blocker.status === 'blocked'
  return (
    <Modal
      opened={isAsked}
      onClose={() => blocker.reset?.()}
      title={t.leaveTitle}
      closeButtonProps={{ 'aria-label': t.stay }}
      centered
    >
      <Stack>
        <Text>{t.leave}</Text>
        {remove.error && <Text c="var(--bad)">{remove.error.message}</Text>}
        <Group justify="flex-end">
          <Button variant="subtle" onClick={() => blocker.reset?.()}>
            {t.stay}
          </Button>
          <Button variant="default" onClick={() => blocker.proceed?.()}>
            {t.leaveKeep}
          </Button>
          <Button
            loading={remove.isPending}
            onClick={() => unused && remove.mutate(unused.id)}
            data-autofocus
          >
            {t.leaveDelete}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
