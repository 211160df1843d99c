import { Chip, Group, Stack, Switch, TextInput } from '@mantine/core'
import { useLocale, useTexts } from '../texts/texts.ts'
import type { Draft } from './form.ts'
import { dayText, weekDays } from './words.ts'

type Props = { draft: Draft; change: (draft: Draft) => void; isLocked: boolean }

/** At which hours the rule holds. */
export function HoursFields({ draft, change, isLocked }: Props) {
  const { rule: t } = useTexts()
  const locale = useLocale()
  const { hasHours, days } = draft
  const time = (field: 'from' | 'to') => (
    <TextInput
      type="time"
      label={t[field]}
      value={draft[field]}
      readOnly={isLocked}
      onChange={(event) => change({ ...draft, [field]: event.currentTarget.value })}
    />
  )
  return (
    <Stack gap="xs">
      <Switch
        label={t.hours}
        checked={hasHours}
        disabled={isLocked}
        onChange={(event) => change({ ...draft, hasHours: event.currentTarget.checked })}
      />
      {hasHours && (
        <>
          <Chip.Group
            multiple
            value={days.map(String)}
            onChange={(next) => change({ ...draft, days: next.map(Number) })}
          >
            <Group gap={6} role="group" aria-label={t.days}>
              {weekDays.map((day) => (
                <Chip key={day} value={String(day)} variant="outline" size="xs" disabled={isLocked}>
                  {dayText(day, locale)}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
          <Group gap="xs">
            {time('from')}
            {time('to')}
          </Group>
        </>
      )}
    </Stack>
  )
}
