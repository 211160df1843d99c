import { ActionIcon, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { type Texts, useTexts } from '../texts/texts.ts'
import {
  type Added,
  configValue,
  isTaken,
  type OutputDraft,
  withConfig,
  withNewRow,
  withoutRow,
  withRow
} from './output.ts'

type Props = {
  draft: OutputDraft
  change: (draft: OutputDraft) => void
  isLocked: boolean
  /** The keys that have a field of their own. */
  shown: readonly string[]
  /** Those of them that the executor usually needs. */
  usual: readonly string[]
}

/** What the executor needs to know, such as recipients. */
export function ConfigFields({ draft, change, isLocked, shown, usual }: Props) {
  const { notifications: t } = useTexts()
  return (
    <Stack component="section" gap="xs" aria-label={t.config}>
      <div>
        <Text fw={600} size="sm">
          {t.config}
        </Text>
        <Text className="muted" size="xs">
          {t.configHelp}
        </Text>
      </div>
      {shown.map((key) => (
        <Group key={key} gap="xs" wrap="nowrap" align="flex-end">
          <Textarea
            className="grow"
            label={keyText(key, t)}
            classNames={{ input: 'template' }}
            autosize
            maxRows={8}
            value={configValue(draft, key) ?? ''}
            readOnly={isLocked}
            onChange={(event) => {
              const { value } = event.currentTarget
              change(
                withConfig(draft, key, value === '' && usual.includes(key) ? undefined : value)
              )
            }}
          />
          {!isLocked && !usual.includes(key) && (
            <Remove label={t.removeKey(key)} go={() => change(withConfig(draft, key, undefined))} />
          )}
        </Group>
      ))}
      {shown.length === 0 && draft.added.length === 0 && (
        <Text className="muted">{t.noConfig}</Text>
      )}
      {draft.added.map((one, i) => (
        <Row
          key={one.row}
          row={one}
          place={i + 1}
          fault={one.key !== '' && isTaken(draft, one, shown) ? t.keyTaken : undefined}
          change={(changed) => change(withRow(draft, changed))}
          remove={() => change(withoutRow(draft, one.row))}
        />
      ))}
      {!isLocked && (
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => change(withNewRow(draft))}
        >
          {t.addKey}
        </Button>
      )}
    </Stack>
  )
}

const keyText = (key: string, { keys }: Texts['notifications']): string =>
  Object.hasOwn(keys, key) ? keys[key as keyof typeof keys] : key

type RowProps = {
  row: Added
  place: number
  fault: string | undefined
  change: (row: Added) => void
  remove: () => void
}

function Row({ row, place, fault, change, remove }: RowProps) {
  const { notifications: t } = useTexts()
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <TextInput
        className="grow"
        aria-label={t.keyNumber(place)}
        placeholder={t.key}
        maxLength={255}
        error={fault}
        value={row.key}
        onChange={(event) => change({ ...row, key: event.currentTarget.value })}
      />
      <Textarea
        className="grow"
        aria-label={t.valueNumber(place)}
        placeholder={t.value}
        classNames={{ input: 'template' }}
        autosize
        maxRows={8}
        value={row.value}
        onChange={(event) => change({ ...row, value: event.currentTarget.value })}
      />
      <Remove label={t.removeKey(row.key || String(place))} go={remove} />
    </Group>
  )
}

function Remove({ label, go }: { label: string; go: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} onClick={go}>
      <IconTrash size={16} aria-hidden />
    </ActionIcon>
  )
}
