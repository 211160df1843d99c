import { SegmentedControl, Select, Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { type Row, shownValue } from '../live/shown.ts'
import { refusal } from '../modelx/Details.tsx'
import { presets } from '../plot/range.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { useMoment } from '../time.ts'
import { trial } from './api.ts'
import type { Draft } from './form.ts'
import { TryPlot } from './TryPlot.tsx'
import type { RuleFields, Tried } from './types.ts'
import { watchedRows } from './watched.ts'

const TYPING_MS = 300
const spans = ['day', 'week', 'month'] as const
const MOST_SHOWN = 10

type Props = {
  id: number
  all: readonly Row[]
  draft: Draft
  /** Undefined: the form cannot be read yet. */
  body: RuleFields | undefined
  /** Undefined: nothing may be changed. */
  change: ((draft: Draft) => void) | undefined
}

/** Shows, while one types, what the rule would have found in the values that are stored. */
export function TryPanel({ id, all, draft, body, change }: Props) {
  const texts = useTexts()
  const t = texts.rule
  const [span, setSpan] = useState<(typeof spans)[number]>('month')
  const seconds = presets[span]
  const { alarms, error, isPending } = useTrial(id, body, seconds)
  const counts = useMemo(() => countsOf(alarms ?? []), [alarms])
  const on = JSON.stringify(body?.on)
  const watched = useMemo(() => (on ? watchedRows(JSON.parse(on), all) : []), [on, all])
  const [row, choose] = useShown(watched, counts, alarms !== undefined)
  const severity = draft.severity
  const found = useMemo(() => alarms?.filter(({ topic }) => topic === row?.topic), [alarms, row])
  const outcome = () => {
    if (!body) return t.incomplete
    if (error) return ''
    if (isPending || !alarms) return t.trying
    return alarms.length === 0 ? t.nothing : t.found(alarms.length, counts.size)
  }
  return (
    <Stack gap="sm" component="section" aria-label={t.tryTitle}>
      <Title order={2} size="h4">
        {t.tryTitle}
      </Title>
      <SegmentedControl
        aria-label={t.span}
        value={span}
        onChange={(next) => setSpan(next as typeof span)}
        data={spans.map((one) => ({ value: one, label: t.spans[one] }))}
      />
      <Text role="status" fw={600} mih={22}>
        {outcome()}
      </Text>
      {body && error && <Text role="alert">{refusal(error, 'rule/list, log/read', texts)}</Text>}
      {body && watched.length === 0 && <Text className="muted">{t.noTopic}</Text>}
      {watched.length > 1 && row && (
        <Select
          label={t.shown}
          searchable
          limit={100}
          allowDeselect={false}
          comboboxProps={{ zIndex: 400 }}
          data={watched.map(({ topic, short, name }) => ({
            value: short,
            label: counts.get(topic) ? t.shownCount(name, counts.get(topic) ?? 0) : name
          }))}
          value={row.short}
          onChange={(short) => choose(short ?? '')}
        />
      )}
      {row && (
        <TryPlot
          key={row.topic}
          {...{ id, all, row, seconds, severity, draft, change }}
          found={found ?? []}
        />
      )}
      {alarms && alarms.length > 0 && <Found id={id} alarms={alarms} watched={watched} />}
    </Stack>
  )
}

function useTrial(id: number, body: RuleFields | undefined, seconds: number) {
  // A name or a text changes nothing about what is found.
  const text =
    body && JSON.stringify([body.on, body.when, body.for, body.hysteresis, body.schedule])
  const [asked] = useDebouncedValue(text, TYPING_MS)
  const definition = useMemo(() => {
    if (!asked) return undefined
    const [on, when, lasting, hysteresis, schedule] = JSON.parse(asked)
    return { on, when, for: lasting, hysteresis, schedule }
  }, [asked])
  const { data, error, isPending } = useQuery({
    ...trial(id, definition, seconds),
    placeholderData: keepPreviousData
  })
  return { alarms: body && !error ? data?.alarms : undefined, error, isPending }
}

const countsOf = (alarms: readonly Tried[]): ReadonlyMap<string, number> =>
  new Map(
    [...Map.groupBy(alarms, ({ topic }) => topic)].map(([topic, list]) => [topic, list.length])
  )

/** The topic of the plot: the chosen one, or the first with most alarms, which then stays. */
function useShown(
  watched: readonly Row[],
  counts: ReadonlyMap<string, number>,
  isTried: boolean
): [Row | undefined, (short: string) => void] {
  const [chosen, choose] = useState('')
  const last = useRef('')
  const byName = (short: string) => watched.find((one) => one.short === short)
  const count = ({ topic }: Row) => counts.get(topic) ?? 0
  const most = watched.reduce<Row | undefined>(
    (best, one) => (best && count(best) >= count(one) ? best : one),
    undefined
  )
  const row = byName(chosen) ?? byName(last.current) ?? most
  if (isTried && row) last.current = row.short
  return [row, choose]
}

type FoundProps = { id: number; alarms: readonly Tried[]; watched: readonly Row[] }

function Found({ id, alarms, watched }: FoundProps) {
  const { rule: t, alarm } = useTexts()
  const locale = useLocale()
  const moment = useMoment(id)
  return (
    <div>
      <Text className="muted">{t.foundAlarms}</Text>
      <ul className="plot-alarms">
        {alarms.slice(0, MOST_SHOWN).map(({ topic, raised_at, cleared_at, value }) => {
          const row = watched.find((one) => one.topic === topic)
          const shown = value === null ? undefined : shownValue(value, row?.meta ?? {}, locale)
          const end = cleared_at === null ? t.lasts : moment(cleared_at)
          return (
            <li key={`${topic} ${raised_at}`}>
              <span>{alarm.fromTo(moment(raised_at), end)}</span>
              <span>{row?.name ?? topic}</span>
              {shown && (
                <b>
                  {shown.text} <span className="unit">{shown.unit}</span>
                </b>
              )}
            </li>
          )
        })}
      </ul>
    </div>
  )
}
