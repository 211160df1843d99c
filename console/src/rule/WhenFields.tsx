import {
  ActionIcon,
  Autocomplete,
  Button,
  Group,
  SegmentedControl,
  Select,
  Stack,
  Textarea
} from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useMemo } from 'react'
import type { Row } from '../live/shown.ts'
import { useTexts } from '../texts/texts.ts'
import {
  bodyOf,
  type Comparison,
  comparisons,
  type Draft,
  nextRow,
  type Part,
  readPart
} from './form.ts'
import { above } from './OnFields.tsx'

/** As the API takes them. */
const MAX_PARTS = 20
const MAX_OPTIONS = 50

type Props = {
  draft: Draft
  change: (draft: Draft) => void
  rows: readonly Row[]
  isLocked: boolean
}

/** When it is wrong. */
export function WhenFields({ draft, change, rows, isLocked }: Props) {
  const { rule: t } = useTexts()
  const { parts, join, json } = draft
  const keys = useMemo(() => numericKeys(rows), [rows])
  const set = (changed: Part) =>
    change({ ...draft, parts: parts.map((one) => (one.row === changed.row ? changed : one)) })
  return (
    <Stack component="fieldset" className="rule-part" gap="xs">
      <legend>{t.when}</legend>
      {json !== '' ? (
        <Textarea
          label={t.json}
          classNames={{ input: 'topic' }}
          autosize
          minRows={4}
          maxRows={16}
          value={json}
          readOnly={isLocked}
          error={isJson(draft) ? undefined : t.jsonWrong}
          onChange={(event) => change({ ...draft, json: event.currentTarget.value || ' ' })}
        />
      ) : (
        <>
          {parts.length > 1 && (
            <SegmentedControl
              aria-label={t.when}
              value={join}
              disabled={isLocked}
              onChange={(next) => change({ ...draft, join: next as Draft['join'] })}
              data={[
                { value: 'all', label: t.all },
                { value: 'any', label: t.any }
              ]}
            />
          )}
          {parts.map((part, i) => (
            <Condition
              key={part.row}
              {...{ part, keys, isLocked }}
              place={i + 1}
              change={set}
              remove={
                parts.length > 1
                  ? () => change({ ...draft, parts: parts.filter(({ row }) => row !== part.row) })
                  : undefined
              }
            />
          ))}
          {!isLocked && parts.length < MAX_PARTS && (
            <Button
              variant="default"
              size="xs"
              style={{ alignSelf: 'flex-start' }}
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => {
                const part: Part = { row: nextRow(parts), kind: 'below', first: '', second: '' }
                change({ ...draft, parts: [...parts, part] })
              }}
            >
              {t.addCondition}
            </Button>
          )}
        </>
      )}
    </Stack>
  )
}

type ConditionProps = {
  part: Part
  place: number
  keys: readonly string[]
  isLocked: boolean
  change: (part: Part) => void
  remove: (() => void) | undefined
}

function Condition({ part, place, keys, isLocked, change, remove }: ConditionProps) {
  const { rule: t } = useTexts()
  const { kind } = part
  const isSilence = kind === 'silent_for'
  const wrong = (text: string) =>
    text.trim() !== '' && !readPart({ ...part, first: text, second: text })
  const bound = (field: 'first' | 'second', label: string) => (
    <Autocomplete
      className="grow"
      aria-label={label}
      data={[...keys]}
      limit={MAX_OPTIONS}
      placeholder={isSilence ? '10m' : '25'}
      value={part[field]}
      readOnly={isLocked}
      comboboxProps={above}
      filter={({ options, search }) =>
        // A number needs no list.
        /\d/.test(search)
          ? []
          : options.filter((one) => 'value' in one && one.value.includes(search))
      }
      error={wrong(part[field]) ? (isSilence ? t.durationWrong : t.boundWrong) : undefined}
      onChange={(text) => change({ ...part, [field]: text })}
    />
  )
  return (
    <div className="condition">
      <Select
        aria-label={t.condition(place)}
        data={comparisons.map((one) => ({ value: one, label: t.kinds[one] }))}
        value={kind}
        readOnly={isLocked}
        allowDeselect={false}
        comboboxProps={above}
        onChange={(next) => change({ ...part, kind: (next ?? 'above') as Comparison })}
      />
      <Group gap="xs" wrap="nowrap" align="flex-start" className="grow">
        {bound('first', t.bound(place))}
        {kind === 'outside' && bound('second', t.secondBound(place))}
        {remove && !isLocked && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={t.removeCondition(place)}
            onClick={remove}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        )}
      </Group>
      <span className="muted condition-help">{isSilence ? t.silenceHelp : t.boundHelp}</span>
    </div>
  )
}

const isJson = (draft: Draft): boolean =>
  bodyOf({ ...draft, by: 'topics', topics: ['x'], for: '', hysteresis: '', hasHours: false }) !==
  undefined

/** The keys of metadata in which some function has a number. */
const numericKeys = (rows: readonly Row[]): string[] => {
  const keys = new Set<string>()
  for (const { meta } of rows) {
    for (const [key, value] of Object.entries(meta)) {
      if (value.trim() !== '' && Number.isFinite(Number(value))) keys.add(key)
    }
  }
  return [...keys].sort()
}
