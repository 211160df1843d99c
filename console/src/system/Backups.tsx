import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { bytesText } from '../bytes.ts'
import { Fault, refusal } from '../modelx/Details.tsx'
import { permissions } from '../queries.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { type BackupState, backUp, verify } from './api.ts'
import { useTime } from './time.ts'
import { Verified } from './Verified.tsx'

const PERMISSION = 'system/backup'

/** The last backup, the next one, and what can be done. */
export function Backups({ state }: { state: BackupState }) {
  const { system: t } = useTexts()
  if (state.directory === null) {
    return (
      <div>
        <Text fw={600}>{t.noFolder}</Text>
        <Text className="muted">{t.noFolderHelp}</Text>
      </div>
    )
  }
  return (
    <>
      {state.failed && <Failed failed={state.failed} />}
      <Facts state={state} />
      <Task task={state.task} />
      <Actions state={state} />
    </>
  )
}

function Failed({ failed: { at, error } }: { failed: NonNullable<BackupState['failed']> }) {
  const { system: t } = useTexts()
  const time = useTime()
  return (
    <Alert color="red" variant="light" role="alert" title={t.failed(time(at))}>
      <span style={{ overflowWrap: 'anywhere' }}>{error}</span>
    </Alert>
  )
}

function Facts({ state }: { state: BackupState }) {
  const { system: t } = useTexts()
  const locale = useLocale()
  const time = useTime()
  const { made, next, directory, count, keep, verified } = state
  const isDue = next !== null && next * 1000 <= Date.now()
  return (
    <dl className="system-facts">
      <dt className="muted">{t.last}</dt>
      <dd>
        {made ? time(made.ended) : t.never}
        {made && (
          <Text className="muted" size="sm">
            {t.made(
              bytesText(made.bytes, locale),
              bytesText(made.new_bytes, locale),
              made.ended - made.started
            )}
          </Text>
        )}
      </dd>
      {next !== null && (
        <>
          <dt className="muted">{t.next}</dt>
          <dd>{isDue ? t.due : time(next)}</dd>
        </>
      )}
      <dt className="muted">{t.folder}</dt>
      <dd>
        {directory}
        <Text className="muted" size="sm">
          {t.inFolder(count, keep ?? count)}
        </Text>
      </dd>
      {verified && (
        <>
          <dt className="muted">{t.verified}</dt>
          <dd>
            <Verified verified={verified} />
          </dd>
        </>
      )}
    </dl>
  )
}

function Task({ task }: { task: BackupState['task'] }) {
  const { system: t } = useTexts()
  if (!task) return null
  const percent = Math.round(task.done * 100)
  const text = task.what === 'make' ? t.making(percent) : t.reading(percent)
  return (
    <Stack gap={4} role="status">
      <Text>{text}</Text>
      <Progress value={percent} aria-label={text} />
    </Stack>
  )
}

function Actions({ state: { task, count } }: { state: BackupState }) {
  const texts = useTexts()
  const { system: t } = texts
  const may = useQuery(permissions).data
  const make = useMutation({ mutationFn: backUp })
  const read = useMutation({ mutationFn: verify })
  if (may && !may[PERMISSION]) return <Text className="muted">{texts.error.needs(PERMISSION)}</Text>
  const error = make.error ?? read.error
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Button
          disabled={!may || task !== null}
          loading={make.isPending}
          onClick={() => {
            read.reset()
            make.mutate()
          }}
        >
          {t.backUp}
        </Button>
        <Button
          variant="default"
          disabled={!may || task !== null || count === 0}
          loading={read.isPending}
          onClick={() => {
            make.reset()
            read.mutate()
          }}
        >
          {t.verify}
        </Button>
      </Group>
      <Text className="muted" size="sm">
        {t.verifyHelp}
      </Text>
      {error && <Fault text={refusal(error, PERMISSION, texts)} />}
    </Stack>
  )
}
