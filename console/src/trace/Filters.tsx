import { Button, Group, Select, TextInput } from '@mantine/core'
import { labelOf } from '../site/names.ts'
import { useTexts } from '../texts/texts.ts'
import { useActors } from './names.ts'
import {
  type Action,
  actions,
  hasFilter,
  isBackwards,
  type Kind,
  kinds,
  type Time,
  type TraceSearch,
  times
} from './search.ts'

type Props = { search: TraceSearch; set: (search: TraceSearch) => void }

const MAX_SHOWN = 50

/** Which entries are shown. A change leads to the first page. */
export function Filters({ search, set }: Props) {
  const { trace: t } = useTexts()
  const { all } = useActors()
  const { who, kind, action, time = 'month', from, to } = search
  const change = (changed: Partial<TraceSearch>) => set({ ...search, page: undefined, ...changed })
  const people = [
    ...all.map((one) => ({ value: String(one.id), label: labelOf(one) })),
    { value: '0', label: t.noUser }
  ]
  if (who !== undefined && !people.some(({ value }) => value === String(who))) {
    people.unshift({ value: String(who), label: t.unknownUser(who) })
  }
  return (
    <Group gap="sm" align="flex-start" className="trace-filters">
      <Select
        label={t.who}
        placeholder={t.everybody}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t.everybody }}
        limit={MAX_SHOWN}
        data={people}
        value={who === undefined ? null : String(who)}
        onChange={(value) => change({ who: value === null ? undefined : Number(value) })}
      />
      <Select
        label={t.what}
        placeholder={t.everyAction}
        clearable
        clearButtonProps={{ 'aria-label': t.everyAction }}
        data={actions.map((value) => ({ value, label: t.actions[value] }))}
        value={action ?? null}
        onChange={(value) => change({ action: (value as Action | null) ?? undefined })}
      />
      <Select
        label={t.kind}
        placeholder={t.everyKind}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t.everyKind }}
        data={kinds.map((value) => ({ value, label: t.kinds[value] }))}
        value={kind ?? null}
        onChange={(value) => change({ kind: (value as Kind | null) ?? undefined })}
      />
      <Select
        label={t.time}
        allowDeselect={false}
        data={times.map((value) => ({ value, label: t.times[value] }))}
        value={time}
        onChange={(value) =>
          change({
            time: value === 'month' ? undefined : ((value as Time | null) ?? undefined),
            from: undefined,
            to: undefined
          })
        }
      />
      {time === 'days' && (
        <>
          <TextInput
            type="date"
            label={t.fromDay}
            value={from ?? ''}
            onChange={(event) => change({ from: event.currentTarget.value || undefined })}
          />
          <TextInput
            type="date"
            label={t.toDay}
            value={to ?? ''}
            error={isBackwards(search) && t.daysOrder}
            onChange={(event) => change({ to: event.currentTarget.value || undefined })}
          />
        </>
      )}
      {hasFilter(search) && (
        <Button
          variant="subtle"
          className="trace-clear"
          onClick={() => change({ who: undefined, kind: undefined, action: undefined })}
        >
          {t.clear}
        </Button>
      )}
    </Group>
  )
}
