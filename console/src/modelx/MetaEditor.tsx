import { ActionIcon, Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconArrowBackUp, IconLock, IconLockOpen, IconPlus, IconTrash } from '@tabler/icons-react'
import { useTexts } from '../texts/texts.ts'
import {
  type Added,
  type Described,
  type Draft,
  type Field,
  fieldsOf,
  isConflict,
  isTooLong,
  keyFault,
  withEdit,
  withNewRow,
  withoutRow,
  withRow
} from './draft.ts'
import { ValueInput } from './ValueInput.tsx'

const FIRST = [
  ...['name', 'room', 'topic_read', 'topic_write', 'topic_response'],
  ...['format', 'unit', 'device_id']
]

/** What most people look for stands first. */
function byWeight(a: string, b: string): number {
  const [x, y] = [FIRST.indexOf(a), FIRST.indexOf(b)]
  return (x < 0 ? FIRST.length : x) - (y < 0 ? FIRST.length : y) || a.localeCompare(b)
}

type EditorProps = {
  model: Described
  draft: Draft
  change: (change: (draft: Draft) => Draft) => void
  mayEdit: boolean
  mayProtect: boolean
  /** What the platform refused, by the place in the draft. */
  faults: ReadonlyMap<string, string>
}

/** All metadata of a function, a device or an installation. */
export function MetaEditor({ model, draft, change, mayEdit, mayProtect, faults }: EditorProps) {
  const { functions: t } = useTexts()
  const fields = fieldsOf(model)
  // A key that was deleted elsewhere stays as long as it has an edit.
  const keys = [...new Set([...fields.keys(), ...draft.edits.keys()])].sort(byWeight)
  const isTaken = (row: Added) => (key: string) =>
    keys.includes(key) || draft.added.some((one) => one.row !== row.row && one.key === key)
  return (
    <Stack gap={0} component="section" aria-label={t.metadata}>
      <Text component="h3" fw={600} size="md" mb={4}>
        {t.metadata}
      </Text>
      {keys.length + draft.added.length === 0 && <Text className="muted">{t.noMetadata}</Text>}
      {keys.map((key) => (
        <KeyRow
          key={key}
          name={key}
          now={fields.get(key)}
          draft={draft}
          change={change}
          mayEdit={mayEdit && (mayProtect || !fields.get(key)?.isProtected) && !/^\.\.?$/.test(key)}
          mayProtect={mayProtect}
          fault={faults.get(`key ${key}`)}
        />
      ))}
      <AddedRows {...{ draft, change, mayProtect, faults, isTaken }} />
      {mayEdit && (
        <Button
          variant="default"
          size="xs"
          mt="sm"
          style={{ alignSelf: 'flex-start' }}
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => change(withNewRow)}
        >
          {t.addKey}
        </Button>
      )}
    </Stack>
  )
}

type KeyRowProps = Omit<EditorProps, 'model' | 'faults'> & {
  name: string
  now: Field | undefined
  fault: string | undefined
}

function KeyRow({ name, now, draft, change, mayEdit, mayProtect, fault }: KeyRowProps) {
  const { functions: t } = useTexts()
  const edit = draft.edits.get(name)
  const shown = edit ? edit.to : now
  const isProtected = (shown ?? now)?.isProtected ?? false
  const from = edit ? edit.from : now
  const put = (to: Field | undefined) =>
    change((before) => withEdit(before, name, { from: before.edits.get(name)?.from ?? from, to }))
  const value = shown?.value ?? now?.value ?? ''
  const tooLong = shown && isTooLong(shown.value) ? t.valueLong : undefined
  return (
    <div className={edit ? 'meta changed' : 'meta'}>
      <span className="key">
        {isProtected && <IconLock size={12} role="img" aria-label={t.protected} />} {name}
      </span>
      <div className="of">
        {mayEdit && shown ? (
          <ValueInput
            label={name}
            value={shown.value}
            isLong={(now?.value ?? '').length > 60 || value.includes('\n')}
            error={fault ?? tooLong}
            onChange={(text) => put({ ...shown, value: text })}
          />
        ) : (
          <Text className="text" td={edit && !shown ? 'line-through' : undefined}>
            {value}
          </Text>
        )}
        {fault && !shown && (
          <Text c="var(--bad)" size="xs">
            {fault}
          </Text>
        )}
        {edit && <EditNote {...{ edit, name, now, change }} />}
      </div>
      {mayEdit && (
        <Group gap={2} wrap="nowrap" className="buttons">
          {mayProtect && shown && (
            <Protect
              name={name}
              isProtected={shown.isProtected}
              onClick={() => put({ ...shown, isProtected: !shown.isProtected })}
            />
          )}
          {shown ? (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t.removeKey(name)}
              onClick={() => put(undefined)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          ) : (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t.undo(name)}
              onClick={() => put(from)}
            >
              <IconArrowBackUp size={16} />
            </ActionIcon>
          )}
        </Group>
      )}
    </div>
  )
}

type NoteProps = Pick<EditorProps, 'change'> & {
  name: string
  now: Field | undefined
  edit: { from: Field | undefined; to: Field | undefined }
}

/** What was there before, or what somebody else has written meanwhile. */
function EditNote({ name, now, edit, change }: NoteProps) {
  const { functions: t } = useTexts()
  const takeTheirs = () => change((draft) => withEdit(draft, name, { from: now, to: now }))
  if (isConflict(edit, now)) {
    return (
      <Stack gap={2} role="alert">
        <Text size="xs" c="var(--warning)">
          {now ? t.conflict(now.value) : t.conflictGone}
        </Text>
        <Group gap="sm">
          <Anchor
            component="button"
            type="button"
            size="xs"
            onClick={() => change((draft) => withEdit(draft, name, { from: now, to: edit.to }))}
          >
            {t.keepMine}
          </Anchor>
          <Anchor component="button" type="button" size="xs" onClick={takeTheirs}>
            {t.takeTheirs}
          </Anchor>
        </Group>
      </Stack>
    )
  }
  if (!edit.to) {
    return (
      <Text size="xs" className="muted">
        {t.willBeRemoved}
      </Text>
    )
  }
  return (
    <Group gap="sm" wrap="nowrap">
      <Text size="xs" className="muted" truncate>
        {edit.from?.value === edit.to.value
          ? edit.to.isProtected
            ? t.willBeProtected
            : t.willBePlain
          : t.was(edit.from?.value ?? '')}
      </Text>
      <Anchor
        component="button"
        type="button"
        size="xs"
        aria-label={t.undo(name)}
        onClick={takeTheirs}
      >
        {t.undoShort}
      </Anchor>
    </Group>
  )
}

type RowsProps = Pick<EditorProps, 'draft' | 'change' | 'mayProtect' | 'faults'> & {
  isTaken: (row: Added) => (key: string) => boolean
}

/** Keys that are new. */
export function AddedRows({ draft, change, mayProtect, faults, isTaken }: RowsProps) {
  const { functions: t } = useTexts()
  return draft.added.map((one) => {
    const fault = keyFault(one.key, isTaken(one))
    const put = (changed: Partial<Added>) =>
      change((before) => withRow(before, { ...one, ...changed }))
    return (
      <div key={one.row} className="meta changed">
        <TextInput
          className="key"
          size="xs"
          aria-label={t.newKey}
          placeholder={t.newKey}
          autoFocus
          value={one.key}
          error={one.key !== '' && fault ? t[fault] : undefined}
          onChange={(event) => put({ key: event.currentTarget.value })}
        />
        <div className="of">
          <ValueInput
            label={t.newValue}
            value={one.value}
            isLong={false}
            error={faults.get(`row ${one.row}`) ?? (isTooLong(one.value) ? t.valueLong : undefined)}
            onChange={(value) => put({ value })}
          />
        </div>
        <Group gap={2} wrap="nowrap" className="buttons">
          {mayProtect && (
            <Protect
              name={one.key}
              isProtected={one.isProtected}
              onClick={() => put({ isProtected: !one.isProtected })}
            />
          )}
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t.removeKey(one.key)}
            onClick={() => change((before) => withoutRow(before, one.row))}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      </div>
    )
  })
}

type ProtectProps = { name: string; isProtected: boolean; onClick: () => void }

function Protect({ name, isProtected, onClick }: ProtectProps) {
  const { functions: t } = useTexts()
  return (
    <ActionIcon
      variant="subtle"
      color={isProtected ? 'coat' : 'gray'}
      aria-label={t.protect(name)}
      aria-pressed={isProtected}
      title={t.protectHelp}
      onClick={onClick}
    >
      {isProtected ? <IconLock size={16} /> : <IconLockOpen size={16} />}
    </ActionIcon>
  )
}
