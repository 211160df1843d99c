import { Chip, Group, NativeSelect, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { dayText, weekDays } from '../rule/words.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { isEvery, readField } from './cron.ts'
import type { Draft } from './form.ts'
import { type DayKind, type DayFields as Days, dayKinds, fieldText } from './parts.ts'
import { monthName } from './words.ts'

type Props = { draft: Draft; change: (draft: Draft) => void }

/** What a kind begins with when it is chosen. */
const first: Record<DayKind, Days> = {
  every: { day_of_month: '*', day_of_week: '*' },
  week: { day_of_month: '*', day_of_week: '1-5' },
  month: { day_of_month: '0', day_of_week: '*' }
}
const kinds = ['every', 'week', 'month'] as const
const dates = Array.from({ length: 31 }, (_, day) => day)
const months = Array.from({ length: 12 }, (_, month) => month)
/** Some months do not have the day 29 or a later one. It begins with 0. */
const LAST_CERTAIN_DAY = 27

/** The days and months. */
export function DayFields({ draft, change }: Props) {
  const { schedules: t } = useTexts()
  const locale = useLocale()
  const [wanted, setWanted] = useState<DayKind>()
  const possible = dayKinds(draft)
  const kind = possible.find((one) => one === wanted) ?? possible[0]
  const ofMonth = readField('day_of_month', draft.day_of_month) ?? []
  const ofWeek = readField('day_of_week', draft.day_of_week) ?? []
  const isLate = ofMonth.some((day) => day > LAST_CERTAIN_DAY)
  return (
    <fieldset className="schedule-part">
      <NativeSelect
        label={t.days}
        value={kind ?? 'own'}
        data={[
          ...kinds.map((one) => ({ value: one as string, label: t.dayKinds[one] })),
          ...(kind ? [] : [{ value: 'own', label: t.dayKinds.own }])
        ]}
        onChange={({ currentTarget: { value } }) => {
          const next = kinds.find((one) => one === value)
          if (!next) return
          setWanted(next)
          change({ ...draft, ...first[next] })
        }}
      />
      {!kind && ofMonth.length > 0 && ofWeek.length > 0 && (
        <Text className="muted">{t.either}</Text>
      )}
      {kind === 'week' && (
        <Choice
          label={t.weekDays}
          options={weekDays.map((day) => [day, dayText(day, locale)])}
          values={ofWeek}
          onChange={(days) => change({ ...draft, day_of_week: fieldText('day_of_week', days) })}
        />
      )}
      {kind === 'month' && (
        <>
          <Choice
            label={t.monthDays}
            options={dates.map((day) => [day, String(day + 1)])}
            values={ofMonth}
            onChange={(days) => change({ ...draft, day_of_month: fieldText('day_of_month', days) })}
          />
          {isLate && <Text className="muted">{t.lateDays}</Text>}
        </>
      )}
      <Months {...{ draft, change }} />
    </fieldset>
  )
}

function Months({ draft, change }: Props) {
  const { schedules: t } = useTexts()
  const locale = useLocale()
  const values = readField('month', draft.month) ?? []
  const isAll = isEvery('month', values)
  const [isOpen, setOpen] = useState(false)
  if (values.length === 0) return null
  return (
    <>
      <Switch
        label={t.onlyMonths}
        checked={isOpen || !isAll}
        onChange={({ currentTarget: { checked } }) => {
          setOpen(checked)
          if (!checked) change({ ...draft, month: '*' })
        }}
      />
      {(isOpen || !isAll) && (
        <Choice
          label={t.months}
          options={months.map((month) => [month, monthName(month, locale, 'short')])}
          {...{ values }}
          onChange={(list) => change({ ...draft, month: fieldText('month', list) })}
        />
      )}
    </>
  )
}

type ChoiceProps = {
  label: string
  options: readonly (readonly [value: number, text: string])[]
  values: readonly number[]
  onChange: (values: number[]) => void
}

/** At least one stays chosen. */
function Choice({ label, options, values, onChange }: ChoiceProps) {
  return (
    <Chip.Group
      multiple
      value={values.map(String)}
      onChange={(next) => next.length > 0 && onChange(next.map(Number))}
    >
      <Group gap={6} role="group" aria-label={label}>
        {options.map(([value, text]) => (
          <Chip key={value} value={String(value)} variant="outline" size="xs">
            {text}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  )
}
