import { Autocomplete, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { IconFileDownload, IconTag, IconTagOff, IconTrash, IconX } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import type { Model, Place } from '../modelx/api.ts'
import { remove } from '../modelx/api.ts'
import { nameOf } from '../modelx/rows.ts'
import { download } from '../plot/download.ts'
import { useTexts } from '../texts/texts.ts'
import { changeOf, isEmpty } from './changes.ts'
import { changeTask } from './tasks.ts'
import type { Task } from './work.ts'

const MOST_NAMES = 5
type Asked = 'set' | 'remove' | 'type' | 'delete'

type Props = {
  place: Place
  models: readonly Model[]
  types: readonly string[]
  may: { edit: boolean; delete: boolean }
  clear: () => void
  /** Does the work and shows how far it is. */
  start: (title: string, tasks: readonly Task[]) => void
}

/** What can be done with all that are selected. */
export function SelectionBar({ place, models, types, may, clear, start }: Props) {
  const { many: t } = useTexts()
  const [asked, setAsked] = useState<Asked>()
  const go = (title: string, tasks: readonly Task[]) => {
    setAsked(undefined)
    start(title, tasks)
  }
  const question = { place, models, types, go, close: () => setAsked(undefined) }
  const button = (kind: Asked, icon: ReactNode) => (
    <Button size="xs" variant="default" leftSection={icon} onClick={() => setAsked(kind)}>
      {t.actions[kind]}
    </Button>
  )
  return (
    <Group gap="xs" className="panel selection" role="region" aria-label={t.selection}>
      <Text fw={600} role="status">
        {t.selected(models.length)}
      </Text>
      {may.edit && button('set', <IconTag size={14} aria-hidden />)}
      {may.edit && button('remove', <IconTagOff size={14} aria-hidden />)}
      {may.edit && button('type', undefined)}
      {may.delete && button('delete', <IconTrash size={14} aria-hidden />)}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconFileDownload size={14} aria-hidden />}
        onClick={() => void downloadCsv(place, models)}
      >
        {t.csvOut}
      </Button>
      <Button
        size="xs"
        variant="subtle"
        ml="auto"
        leftSection={<IconX size={14} aria-hidden />}
        onClick={clear}
      >
        {t.clear}
      </Button>
      {asked === 'set' && <SetKey {...question} />}
      {asked === 'remove' && <RemoveKey {...question} />}
      {asked === 'type' && <SetType {...question} />}
      {asked === 'delete' && <Delete {...question} />}
    </Group>
  )
}

export async function downloadCsv({ kind }: Place, models: readonly Model[]): Promise<void> {
  const { csvOf } = await import('./csv.ts')
  // Programs for tables know UTF-8 by this mark.
  const file = new Blob(['\ufeff', csvOf(models)], { type: 'text/csv;charset=utf-8' })
  download(`${kind}.csv`, file)
}

type QuestionProps = Pick<Props, 'place' | 'models' | 'types'> & {
  go: (title: string, tasks: readonly Task[]) => void
  close: () => void
}

type DialogProps = {
  title: string
  children: ReactNode
  action: string
  color?: string
  isReady: boolean
  go: () => void
  close: () => void
}

function Dialog({ title, children, action, color, isReady, go, close }: DialogProps) {
  const { many: t } = useTexts()
  return (
    <Modal opened onClose={close} title={title} closeButtonProps={{ 'aria-label': t.cancel }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) go()
        }}
      >
        <Stack>
          {children}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t.cancel}
            </Button>
            <Button type="submit" color={color} disabled={!isReady}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

const keysOf = (models: readonly Model[]): string[] =>
  [...new Set(models.flatMap(({ meta }) => Object.keys(meta)))].sort()

function SetKey({ place, models, go, close }: QuestionProps) {
  const { many: t } = useTexts()
  const [key, setKey] = useState('')
  const [value, setValue] = useState('')
  const changes = models
    .map((model) => changeOf(model, { meta: new Map([[key.trim(), value]]) }))
    .filter((change) => !isEmpty(change))
  return (
    <Dialog
      title={t.actions.set}
      action={t.apply(changes.length)}
      isReady={key.trim() !== '' && value !== '' && changes.length > 0}
      go={() =>
        go(
          t.actions.set,
          changes.map((one) => changeTask(place, one))
        )
      }
      close={close}
    >
      <Autocomplete
        label={t.key}
        data={keysOf(models)}
        maxLength={255}
        value={key}
        onChange={setKey}
        data-autofocus
      />
      <TextInput
        label={t.value}
        maxLength={65_536}
        value={value}
        onChange={(event) => setValue(event.currentTarget.value)}
      />
    </Dialog>
  )
}

function RemoveKey({ place, models, go, close }: QuestionProps) {
  const { many: t } = useTexts()
  const [key, setKey] = useState('')
  const having = models.filter(({ meta }) => Object.hasOwn(meta, key))
  const changes = having.map((model) => ({ model, meta: new Map([[key, undefined]]) }))
  return (
    <Dialog
      title={t.actions.remove}
      action={t.apply(changes.length)}
      isReady={changes.length > 0}
      go={() =>
        go(
          t.actions.remove,
          changes.map((one) => changeTask(place, one))
        )
      }
      close={close}
    >
      <Autocomplete
        label={t.key}
        data={keysOf(models)}
        value={key}
        onChange={setKey}
        data-autofocus
      />
      <Text className="muted">{t.having(having.length, models.length)}</Text>
    </Dialog>
  )
}

const isType = (type: string): boolean => /^[^/+#]{1,100}$/.test(type)

function SetType({ place, models, types, go, close }: QuestionProps) {
  const { many: t, functions } = useTexts()
  const [type, setType] = useState('')
  const changes = models
    .map((model) => changeOf(model, { type: type.trim() }))
    .filter((change) => !isEmpty(change))
  return (
    <Dialog
      title={t.actions.type}
      action={t.apply(changes.length)}
      isReady={isType(type.trim()) && changes.length > 0}
      go={() =>
        go(
          t.actions.type,
          changes.map((one) => changeTask(place, one))
        )
      }
      close={close}
    >
      <Autocomplete
        label={functions.type}
        data={[...types]}
        error={type !== '' && !isType(type.trim()) ? functions.typeWrong : undefined}
        value={type}
        onChange={setType}
        data-autofocus
      />
    </Dialog>
  )
}

function Delete({ place, models, go, close }: QuestionProps) {
  const { many: t, functions } = useTexts()
  const names = models.slice(0, MOST_NAMES).map(nameOf)
  const tasks = models.map((model) => ({
    name: nameOf(model),
    run: () => remove(place, model.id)
  }))
  return (
    <Dialog
      title={t.deleteTitle(models.length)}
      action={t.deleteGo(models.length)}
      color="red"
      isReady
      go={() => go(t.actions.delete, tasks)}
      close={close}
    >
      <Text style={{ overflowWrap: 'anywhere' }}>
        {t.names(names.join(', '), models.length - names.length)}
      </Text>
      <Text>{functions.deleteHelp}</Text>
    </Dialog>
  )
}
