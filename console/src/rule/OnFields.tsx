import {
  ActionIcon,
  Autocomplete,
  Button,
  Group,
  SegmentedControl,
  Stack,
  TagsInput
} from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useMemo } from 'react'
import type { Row } from '../live/shown.ts'
import { useTexts } from '../texts/texts.ts'
import { type Draft, type MetaPart, nextRow } from './form.ts'

/** As the API takes them. */
const MAX_TOPICS = 1000
const MAX_META = 20
/** More would make the list slow; who wants another one types a part of its name. */
const MAX_OPTIONS = 50
export const above = { zIndex: 400 }

type Props = {
  draft: Draft
  change: (draft: Draft) => void
  rows: readonly Row[]
  isLocked: boolean
}

/** What the rule watches. */
export function OnFields({ draft, change, rows, isLocked }: Props) {
  const { rule: t } = useTexts()
  return (
    <Stack component="fieldset" className="rule-part" gap="xs">
      <legend>{t.watch}</legend>
      <SegmentedControl
        aria-label={t.watch}
        value={draft.by}
        disabled={isLocked}
        onChange={(by) => change({ ...draft, by: by as Draft['by'] })}
        data={[
          { value: 'topics', label: t.byTopics },
          { value: 'functions', label: t.byFunctions }
        ]}
      />
      {draft.by === 'topics' ? (
        <Topics {...{ draft, change, rows, isLocked }} />
      ) : (
        <Functions {...{ draft, change, rows, isLocked }} />
      )}
    </Stack>
  )
}

function Topics({ draft, change, rows, isLocked }: Props) {
  const { rule: t } = useTexts()
  const byTopic = useMemo(() => new Map(rows.map((row) => [row.short, row])), [rows])
  const topics = useMemo(() => [...byTopic.keys()], [byTopic])
  return (
    <TagsInput
      label={t.topics}
      description={t.topicsHelp}
      data={topics}
      value={[...draft.topics]}
      readOnly={isLocked}
      maxTags={MAX_TOPICS}
      acceptValueOnBlur
      comboboxProps={above}
      onChange={(next) => change({ ...draft, topics: next })}
      filter={({ options, search }) => {
        const words = search.toLowerCase().split(/\s+/)
        const isFound = ({ short, name, room }: Row) => {
          const text = `${name} ${room} ${short}`.toLowerCase()
          return words.every((word) => text.includes(word))
        }
        return options
          .filter((one) => {
            const row = 'value' in one ? byTopic.get(one.value) : undefined
            return row !== undefined && isFound(row)
          })
          .slice(0, MAX_OPTIONS)
      }}
      renderOption={({ option }) => (
        <span className="names">
          <span className="first">{byTopic.get(option.value)?.name}</span>
          <span className="topic">{option.value}</span>
        </span>
      )}
    />
  )
}

function Functions({ draft, change, rows, isLocked }: Props) {
  const { rule: t } = useTexts()
  const { types, valuesOf } = useMemo(() => known(rows), [rows])
  const { meta } = draft
  const set = (changed: MetaPart) =>
    change({ ...draft, meta: meta.map((one) => (one.row === changed.row ? changed : one)) })
  return (
    <>
      <Autocomplete
        label={t.type}
        placeholder={t.anyType}
        data={types}
        limit={MAX_OPTIONS}
        value={draft.type}
        readOnly={isLocked}
        comboboxProps={above}
        onChange={(type) => change({ ...draft, type })}
      />
      {meta.map((one, i) => (
        <Group key={one.row} gap="xs" wrap="nowrap" align="flex-end">
          <Autocomplete
            className="grow"
            label={t.metaKey(i + 1)}
            data={[...valuesOf.keys()]}
            limit={MAX_OPTIONS}
            value={one.key}
            readOnly={isLocked}
            comboboxProps={above}
            onChange={(key) => set({ ...one, key })}
          />
          <Autocomplete
            className="grow"
            label={t.metaValue(i + 1)}
            data={[...(valuesOf.get(one.key) ?? [])]}
            limit={MAX_OPTIONS}
            value={one.value}
            readOnly={isLocked}
            comboboxProps={above}
            onChange={(value) => set({ ...one, value })}
          />
          {!isLocked && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={t.removeMeta(i + 1)}
              onClick={() => change({ ...draft, meta: meta.filter(({ row }) => row !== one.row) })}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          )}
        </Group>
      ))}
      {!isLocked && meta.length < MAX_META && (
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() =>
            change({ ...draft, meta: [...meta, { row: nextRow(meta), key: '', value: '' }] })
          }
        >
          {t.addMeta}
        </Button>
      )}
    </>
  )
}

/** The types, keys and values that functions have. */
function known(rows: readonly Row[]) {
  const types = [...new Set(rows.map(({ type }) => type).filter(Boolean))].sort()
  const valuesOf = new Map<string, Set<string>>()
  for (const { meta } of rows) {
    for (const [key, value] of Object.entries(meta)) {
      valuesOf.set(key, (valuesOf.get(key) ?? new Set()).add(value))
    }
  }
  return { types, valuesOf }
}
