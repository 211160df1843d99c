import { Autocomplete, Button, Group, NativeSelect, Switch, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { shownValue, statesOf } from '../live/shown.ts'
import { readNumber } from '../numbers.ts'
import { installations } from '../queries.ts'
import { above } from '../rule/OnFields.tsx'
import { useLanguage, useTexts } from '../texts/texts.ts'
import { type Draft, isTopic, runnerOf } from './form.ts'
import { useTargets } from './rows.ts'

/** As the API takes them. */
const MAX_TOPIC = 1000
const MAX_EXECUTOR = 100
/** More would make the list slow; who wants another one types a part of its name. */
const MAX_OPTIONS = 50

type Props = {
  id: number
  draft: Draft
  change: (draft: Draft) => void
  isLocked: boolean
}

/** What is sent. */
export function SendFields({ id, draft, change, isLocked }: Props) {
  const { schedules: t } = useTexts()
  const { topics, rowOf } = useTargets(id)
  const { topic } = draft
  const name = rowOf(topic)?.name
  return (
    <fieldset className="schedule-part">
      <Autocomplete
        label={t.topic}
        description={name ?? t.topicHelp}
        data={topics}
        value={topic}
        readOnly={isLocked}
        maxLength={MAX_TOPIC}
        comboboxProps={above}
        error={topic.trim() !== '' && !isTopic(topic.trim()) ? t.topicWrong : undefined}
        onChange={(topic) => change({ ...draft, topic })}
        filter={({ options, search }) => {
          const words = search.toLowerCase().split(/\s+/)
          const isFound = (topic: string) => {
            const row = rowOf(topic)
            const text = `${row?.name} ${row?.room} ${topic}`.toLowerCase()
            return words.every((word) => text.includes(word))
          }
          return options.filter((one) => 'value' in one && isFound(one.value)).slice(0, MAX_OPTIONS)
        }}
        renderOption={({ option }) => (
          <span className="names">
            <span className="first">{rowOf(option.value)?.name}</span>
            <span className="topic">{option.value}</span>
          </span>
        )}
      />
      <ValueField {...{ id, draft, change, isLocked }} />
    </fieldset>
  )
}

/** A function says what its values mean. */
function ValueField({ id, draft, change, isLocked }: Props) {
  const { schedules: t } = useTexts()
  const language = useLanguage()
  const { rowOf } = useTargets(id)
  const meta = rowOf(draft.topic)?.meta ?? {}
  const states = statesOf(meta)
  const number = readNumber(draft.value, Number.NaN)
  const isNumber = number !== undefined && !Number.isNaN(number)
  const state = states.find(({ value }) => value === number)?.text
  const unit = isNumber ? shownValue(number, meta, language).unit : ''
  return (
    <div>
      <TextInput
        label={t.value}
        inputMode="decimal"
        value={draft.value}
        readOnly={isLocked}
        rightSection={
          state === undefined && unit ? <span className="unit">{unit}</span> : undefined
        }
        rightSectionWidth={64}
        description={state === undefined ? undefined : t.means(state)}
        error={draft.value.trim() !== '' && !isNumber ? t.valueWrong : undefined}
        onChange={(event) => change({ ...draft, value: event.currentTarget.value })}
      />
      {states.length > 0 && !isLocked && (
        <Group gap={6} mt={6} role="group" aria-label={t.states}>
          {states.map(({ value, text }) => (
            <Button
              key={value}
              size="compact-sm"
              variant={value === number ? 'light' : 'default'}
              aria-pressed={value === number}
              onClick={() => change({ ...draft, value: String(value) })}
            >
              {text}
            </Button>
          ))}
        </Group>
      )}
    </div>
  )
}

const whos = ['gateway', 'server', 'own'] as const

/** Who runs it, and whether it is in use. */
export function RunFields({ id, draft, change, isLocked }: Props) {
  const { schedules: t } = useTexts()
  const capabilities = useQuery(installations).data?.find((one) => one.id === id)?.capabilities
  const { executor } = draft
  const who = whos.find((one) => one === executor) ?? 'own'
  const runner = runnerOf(executor, capabilities ?? [])
  return (
    <fieldset className="schedule-part">
      <NativeSelect
        label={t.who}
        value={who}
        disabled={isLocked}
        data={whos.map((one) => ({ value: one, label: t.whos[one] }))}
        onChange={({ currentTarget: { value } }) =>
          change({ ...draft, executor: value === 'own' ? '' : value })
        }
      />
      {who === 'own' && (
        <TextInput
          label={t.executor}
          description={t.executorHelp}
          value={executor}
          readOnly={isLocked}
          maxLength={MAX_EXECUTOR}
          onChange={(event) => change({ ...draft, executor: event.currentTarget.value })}
        />
      )}
      {executor.trim() !== '' && (
        <Text className="muted" style={{ overflowWrap: 'anywhere' }}>
          {runner === 'own' ? t.runBy.own(executor) : t.runBy[runner]}
        </Text>
      )}
      <Switch
        label={t.active}
        checked={draft.active}
        disabled={isLocked}
        onChange={(event) => change({ ...draft, active: event.currentTarget.checked })}
      />
    </fieldset>
  )
}
