import { ActionIcon, Button, Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useTexts } from '../texts/texts.ts'
import type { Draft } from './form.ts'
import {
  clockText,
  type Hours,
  hourSteps,
  MAX_TIMES,
  type Minutes,
  minuteSteps,
  type TimePart,
  type Times,
  timeFields,
  timeParts,
  two
} from './parts.ts'

type Props = { draft: Draft; change: (draft: Draft) => void }
type Kind = TimePart['kind']

/** What a kind begins with when it is chosen. */
const first: Record<Kind, TimePart> = {
  at: { kind: 'at', times: ['08:00'] },
  minutes: { kind: 'minutes', every: 15, from: 0, to: 23 },
  hours: { kind: 'hours', every: 1, minute: 0 }
}
const kinds = ['at', 'minutes', 'hours'] as const

/** The times of a day. */
export function TimeFields({ draft, change }: Props) {
  const { schedules: t } = useTexts()
  const [wanted, setWanted] = useState<Kind>()
  const parts = timeParts(draft)
  const part = parts.find(({ kind }) => kind === wanted) ?? parts[0]
  const set = (next: TimePart) => {
    const fields = timeFields(next)
    if (fields) change({ ...draft, ...fields })
    return fields !== undefined
  }
  return (
    <fieldset className="schedule-part">
      <NativeSelect
        label={t.time}
        value={part?.kind ?? 'own'}
        data={[
          ...kinds.map((kind) => ({ value: kind as string, label: t.timeKinds[kind] })),
          ...(part ? [] : [{ value: 'own', label: t.timeKinds.own }])
        ]}
        onChange={({ currentTarget: { value } }) => {
          const kind = kinds.find((one) => one === value)
          if (!kind) return
          setWanted(kind)
          if (!parts.some((one) => one.kind === kind)) set(first[kind])
        }}
      />
      {part?.kind === 'at' && <AtTimes {...{ part, set }} />}
      {part?.kind === 'minutes' && <EveryMinutes {...{ part, set }} />}
      {part?.kind === 'hours' && <EveryHours {...{ part, set }} />}
    </fieldset>
  )
}

type PartProps<P> = { part: P; set: (part: TimePart) => boolean }

function AtTimes({ part: { times }, set }: PartProps<Times>) {
  const { schedules: t } = useTexts()
  const [isAdding, setAdding] = useState(false)
  const [isRefused, setRefused] = useState(false)
  const [only] = times.length === 1 ? times : []
  const put = (times: readonly string[]) => {
    const isDone = set({ kind: 'at', times })
    setRefused(!isDone)
    return isDone
  }
  return (
    <>
      <Group gap="xs" align="flex-end">
        {only !== undefined ? (
          <Clock value={only} onChange={(time) => put([time])} />
        ) : (
          times.map((time) => (
            <Group key={time} gap={2} className="schedule-time" wrap="nowrap">
              {time}
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t.removeTime(time)}
                onClick={() => put(times.filter((one) => one !== time))}
              >
                <IconX size={14} aria-hidden />
              </ActionIcon>
            </Group>
          ))
        )}
        {!isAdding && times.length < MAX_TIMES && (
          <Button
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => setAdding(true)}
          >
            {t.addTime}
          </Button>
        )}
      </Group>
      {isAdding && <NewTime add={(time) => put([...times, time])} close={() => setAdding(false)} />}
      {isRefused && (
        <Text c="var(--bad)" size="sm" role="alert">
          {t.timesWrong}
        </Text>
      )}
    </>
  )
}

type ClockProps = { value: string; onChange: (time: string) => void }

/** While it is typed a time may be none; the last one that was complete stays. */
function Clock({ value, onChange }: ClockProps) {
  const { schedules: t } = useTexts()
  const [typed, setTyped] = useState<string>()
  return (
    <TextInput
      type="time"
      label={t.clock}
      value={typed ?? value}
      onBlur={() => setTyped(undefined)}
      onChange={({ currentTarget: { value: next } }) => {
        setTyped(next)
        if (next !== '') onChange(next.slice(0, 5))
      }}
    />
  )
}

type NewTimeProps = { add: (time: string) => boolean; close: () => void }

function NewTime({ add, close }: NewTimeProps) {
  const { schedules: t, connect } = useTexts()
  const [time, setTime] = useState('')
  const go = () => {
    if (time !== '' && add(time.slice(0, 5))) close()
  }
  return (
    <Group gap="xs" align="flex-end">
      <TextInput
        type="time"
        label={t.anotherTime}
        value={time}
        data-autofocus
        onChange={(event) => setTime(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          go()
        }}
      />
      <Button onClick={go} disabled={time === ''}>
        {t.addTime}
      </Button>
      <Button variant="default" onClick={close}>
        {connect.cancel}
      </Button>
    </Group>
  )
}

const hours = Array.from({ length: 24 }, (_, hour) => hour)

function EveryMinutes({ part, set }: PartProps<Minutes>) {
  const { schedules: t } = useTexts()
  const { every, from, to } = part
  const steps = minuteSteps.some((step) => step === every) ? minuteSteps : [every, ...minuteSteps]
  const change = (changed: Partial<Minutes>) => set({ ...part, ...changed })
  return (
    <Group gap="xs" grow preventGrowOverflow={false}>
      <Select
        label={t.every}
        options={steps.map((step) => [step, t.minutesCount(step)])}
        value={every}
        onChange={(every) => change({ every })}
      />
      <Select
        label={t.fromHour}
        options={hours.map((hour) => [hour, clockText(hour, 0)])}
        value={from}
        onChange={(from) => change({ from, to: Math.max(from, to) })}
      />
      <Select
        label={t.toHour}
        options={hours.map((hour) => [hour, clockText(hour, 59)])}
        value={to}
        onChange={(to) => change({ to, from: Math.min(from, to) })}
      />
    </Group>
  )
}

function EveryHours({ part, set }: PartProps<Hours>) {
  const { schedules: t } = useTexts()
  const { every, minute } = part
  return (
    <Group gap="xs" grow preventGrowOverflow={false}>
      <Select
        label={t.every}
        options={hourSteps.map((step) => [step, t.hoursCount(step)])}
        value={every}
        onChange={(every) => set({ ...part, every })}
      />
      <Select
        label={t.atMinuteOf}
        options={Array.from({ length: 60 }, (_, one) => [one, two(one)])}
        value={minute}
        onChange={(minute) => set({ ...part, minute })}
      />
    </Group>
  )
}

type SelectProps = {
  label: string
  options: readonly (readonly [value: number, text: string])[]
  value: number
  onChange: (value: number) => void
}

function Select({ label, options, value, onChange }: SelectProps) {
  return (
    <NativeSelect
      label={label}
      value={String(value)}
      data={options.map(([value, label]) => ({ value: String(value), label }))}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
    />
  )
}
