import './alarm.css'
import { Button, Chip, Group, Skeleton, Stack, Text } from '@mantine/core'
import { IconChecks } from '@tabler/icons-react'
import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { Problem } from '../frame/Problem.tsx'
import { queryClient, rights } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { AcknowledgeMany } from './AcknowledgeMany.tsx'
import { AlarmLine } from './AlarmLine.tsx'
import { type Alarm, alarms, alarmsKey, severities, states } from './api.ts'
import { type AlarmsSearch, filterOf } from './search.ts'

type Props = {
  /** Undefined: over all installations. */
  installation_id?: number
  search: AlarmsSearch
  set: (search: AlarmsSearch) => void
}

/** Alarms, newest first, by state and severity. */
export function AlarmList({ search, set, ...props }: Props) {
  const { alarm: t } = useTexts()
  const { state = 'raised', severity = 'all' } = search
  return (
    <Stack gap="md">
      <Group gap="8px 24px">
        <Chips
          label={t.state}
          value={state}
          choices={[...states, 'all'].map((name) => [name, t.states[name as 'all']])}
          choose={(name) =>
            set({ ...search, state: name === 'raised' ? undefined : (name as 'all') })
          }
        />
        <Chips
          label={t.severity}
          value={severity}
          choices={[
            ['all', t.anySeverity],
            ...severities.map((name): [string, string] => [name, t.severities[name]])
          ]}
          choose={(name) =>
            set({ ...search, severity: name === 'all' ? undefined : (name as 'info') })
          }
        />
      </Group>
      <Lines key={`${state} ${severity}`} search={search} set={set} {...props} />
    </Stack>
  )
}

type ChipsProps = {
  label: string
  value: string
  choices: [name: string, text: string][]
  choose: (name: string) => void
}

function Chips({ label, value, choices, choose }: ChipsProps) {
  return (
    <Chip.Group value={value} onChange={(name) => choose(name as string)}>
      <Group gap="xs" className="alarm-chips" role="group" aria-label={label}>
        {choices.map(([value, text]) => (
          // One name for all makes them one stop of the Tab key.
          <Chip key={value} value={value} name={label} variant="outline">
            {text}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  )
}

function Lines({ installation_id, search, set }: Props) {
  const { alarm: t } = useTexts()
  const list = useInfiniteQuery(alarms(installation_id, filterOf(search)))
  // What is acknowledged here keeps its place until the list is left.
  const [held, setHeld] = useState<readonly Alarm[]>([])
  const [last, setLast] = useState('')
  // Undefined: nothing is being chosen.
  const [chosen, setChosen] = useState<ReadonlySet<number>>()
  const hold = (...alarms: Alarm[]) =>
    setHeld((before) => [
      ...before.filter(({ id }) => !alarms.some((one) => one.id === id)),
      ...alarms
    ])
  const rows = merged(list.data?.pages.flat() ?? [], held)
  const choosable = useChoosable(rows)
  if (list.isLoadingError) {
    return <Problem error={list.error} again={() => void list.refetch()} />
  }
  if (list.isPending) return <Skeleton h={240} radius={12} />
  const { state = 'raised' } = search
  return (
    <>
      <span role="status" className="unseen">
        {last}
      </span>
      {rows.length === 0 && (
        <Stack className="panel" p="lg" gap="xs" align="flex-start">
          <Text fw={600}>{t.none[state]}</Text>
          <Text className="muted">{t.noneHelp}</Text>
          {(state !== 'all' || search.severity) && (
            <Button variant="light" onClick={() => set({ state: 'all' })}>
              {t.showAll}
            </Button>
          )}
        </Stack>
      )}
      {(chosen || choosable.length > 1) && (
        <Button
          variant="default"
          size="xs"
          className="alarm-several"
          leftSection={<IconChecks size={16} aria-hidden />}
          disabled={chosen !== undefined}
          onClick={() => setChosen(new Set())}
        >
          {t.chooseSeveral}
        </Button>
      )}
      {rows.length > 0 && (
        <ul className="alarms">
          {rows.map((alarm) => (
            <AlarmLine
              key={alarm.id}
              alarm={alarm}
              isOfMany={installation_id === undefined}
              isChoosing={chosen !== undefined}
              choice={
                chosen && choosable.includes(alarm)
                  ? {
                      isChosen: chosen.has(alarm.id),
                      choose: (isChosen) => setChosen(withId(chosen, alarm.id, isChosen))
                    }
                  : undefined
              }
              hold={() => hold(alarm)}
              done={(row) => {
                hold(row)
                setLast(t.done(row.message || row.topic))
                void queryClient.invalidateQueries({ queryKey: alarmsKey })
              }}
            />
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <Button
          variant="default"
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {t.more}
        </Button>
      )}
      {chosen && (
        <AcknowledgeMany
          chosen={choosable.filter(({ id }) => chosen.has(id))}
          most={choosable.length}
          chooseAll={() => setChosen(new Set(choosable.map(({ id }) => id)))}
          cancel={() => setChosen(undefined)}
          done={(done, isAll) => {
            hold(...done)
            setLast(t.doneMany(done.length))
            if (isAll) setChosen(undefined)
            void queryClient.invalidateQueries({ queryKey: alarmsKey })
          }}
        />
      )}
    </>
  )
}

/** What waits for somebody, where the caller may acknowledge. */
function useChoosable(rows: readonly Alarm[]): readonly Alarm[] {
  const raised = rows.filter(({ state }) => state === 'raised')
  const ids = [...new Set(raised.map(({ installation_id }) => installation_id))]
  const may = useQueries({ queries: ids.map(rights) })
  return raised.filter(
    ({ installation_id }) => may[ids.indexOf(installation_id)]?.data?.['alarm/acknowledge'] === true
  )
}

function withId(ids: ReadonlySet<number>, id: number, isIn: boolean): ReadonlySet<number> {
  const next = new Set(ids)
  if (isIn) next.add(id)
  else next.delete(id)
  return next
}

/** Newest first. Pages may overlap when alarms come in between. */
function merged(listed: readonly Alarm[], held: readonly Alarm[]): Alarm[] {
  const byId = new Map(listed.map((alarm) => [alarm.id, alarm]))
  for (const alarm of held) {
    const known = byId.get(alarm.id)
    const isOlder = (known?.acknowledged_at ?? 0) < (alarm.acknowledged_at ?? 0)
    if (!known || isOlder) byId.set(alarm.id, alarm)
  }
  return [...byId.values()].sort((a, b) => b.raised_at - a.raised_at || b.id - a.id)
}
