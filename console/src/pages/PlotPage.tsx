import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useRouter, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo, useRef } from 'react'
import { AlarmsInRange } from '../alarm/AlarmsInRange.tsx'
import { bandOf, useAlarmsOf } from '../alarm/of-plot.ts'
import { Problem } from '../frame/Problem.tsx'
import type { Row } from '../live/shown.ts'
import { Actions } from '../plot/Actions.tsx'
import { EmptyRange } from '../plot/EmptyRange.tsx'
import { Notes } from '../plot/Notes.tsx'
import { PlotCanvas } from '../plot/PlotCanvas.tsx'
import { RangeBar } from '../plot/RangeBar.tsx'
import {
  changed,
  MAX_TOPICS,
  type PlotSearch,
  type Range,
  rangeAround,
  rangeOf,
  type Span
} from '../plot/range.ts'
import { unitOf } from '../plot/rows.ts'
import { StatisticsTable } from '../plot/StatisticsTable.tsx'
import { TopicPicker } from '../plot/TopicPicker.tsx'
import { rangeText } from '../plot/text.ts'
import { usePlot } from '../plot/use-plot.ts'
import { useAllRows, useChosen, useZone } from '../plot/use-rows.ts'
import { ZoomButtons } from '../plot/ZoomButtons.tsx'
import { installationRecord, rights } from '../queries.ts'
import { useLocale, useTexts } from '../texts/texts.ts'

const HEIGHT_PX = 400
const PLOT_PADDING_PX = 24

/** Values over time. The address holds all that is chosen. */
export function PlotPage() {
  const { id } = useParams({ from: '/frame/installations/$id/plot' })
  const { topics = [] } = useSearch({ from: '/frame/installations/$id/plot' })
  const { all, isPending } = useAllRows(id)
  // Times would jump if they were first shown in another zone.
  const isZoneKnown = !useQuery(installationRecord(id)).isPending
  const change = useChange()
  const { rows, looks } = useChosen(id, topics, all)
  const { data: may } = useQuery(rights(id))
  if (may?.['log/read'] === false) return <MissingRight />
  if (isPending || !isZoneKnown) return <Skeleton h={HEIGHT_PX + 60} radius={12} />
  const setTopics = (next: string[]) =>
    change({ topics: next.length > 0 ? next : undefined }, topics.length > 0)
  return (
    <Stack gap="md">
      <TopicPicker all={all} chosen={rows} looks={looks} onChange={setTopics} />
      {rows.length === 0 ? (
        <Begin all={all} onChoose={setTopics} />
      ) : (
        <Shown id={id} rows={rows} looks={looks} />
      )}
    </Stack>
  )
}

/** Changes the address. Small steps replace it, so that Back leads to what was there before. */
function useChange() {
  const navigate = useNavigate({ from: '/installations/$id/plot' })
  return (search: PlotSearch, replace = false) =>
    void navigate({
      search: (before) => ({ ...before, ...search }),
      replace,
      resetScroll: false
    })
}

type ShownProps = { id: number; rows: readonly Row[]; looks: ReturnType<typeof useChosen>['looks'] }

function Shown({ id, rows, looks }: ShownProps) {
  const { plot: t } = useTexts()
  const locale = useLocale()
  const router = useRouter()
  const zone = useZone(id)
  const { compare = false, ...search } = useSearch({ from: '/frame/installations/$id/plot' })
  const { last, from, to } = search
  const range = useStable(rangeOf({ last, from, to }))
  const change = useChange()
  const { ref: box, width: outer } = useElementSize()
  const width = Math.max(0, outer - PLOT_PADDING_PX)
  const plot = usePlot({ id, rows, range, compare, zone, width })
  const alarms = useAlarmsOf(id, rows, plot.span)
  const bands = useMemo(() => alarms.map((one) => bandOf(one, one.severity)), [alarms])
  const canvas = useRef<HTMLCanvasElement>(undefined)
  const keepCanvas = useCallback((found: HTMLCanvasElement | undefined) => {
    canvas.current = found
  }, [])
  const zooms = useRef(0)
  const setRange = (next: Range, replace = false) => {
    if (!replace) zooms.current++
    change({ last: undefined, from: undefined, to: undefined, ...next }, replace)
  }
  const show = (span: Span, replace = false) =>
    setRange(rangeAround(span, Date.now() / 1000), replace)
  const move = (by: number) => show(changed(plot.span, { move: by }), true)
  const zoom = (by: number) => show(changed(plot.span, { zoom: by }))
  const back = () => {
    if (zooms.current > 0) {
      zooms.current--
      router.history.back()
    } else if (!('last' in range)) setRange(rangeOf({}))
  }
  const keys: Record<string, () => void> = {
    ArrowLeft: () => move(-0.1),
    ArrowRight: () => move(0.1),
    '+': () => zoom(0.5),
    '-': () => zoom(2),
    Backspace: back
  }
  const isEmpty =
    !plot.error && !plot.isPending && !plot.isFetching && plot.lines.every(isOutside(plot.span))
  return (
    <>
      <Group justify="space-between" gap="xs">
        <RangeBar range={range} span={plot.span} zone={zone} onChange={setRange} />
        <ZoomButtons
          onMove={move}
          onZoom={zoom}
          onBack={back}
          onNow={'last' in range ? undefined : () => setRange({ last: to && from ? to - from : 0 })}
        />
      </Group>
      {plot.error && <Problem error={plot.error} again={plot.refetch} />}
      <div ref={box} className="panel plot-panel" aria-busy={plot.isFetching}>
        <div className={plot.isFetching ? 'progress busy' : 'progress'} />
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys of the plot work here
          tabIndex={0}
          className="plot-keys"
          aria-label={t.canvas(rangeText(plot.span, { zone, locale }))}
          aria-describedby="plot-keys"
          onKeyDown={(event) => {
            const action = keys[event.key === '=' ? '+' : event.key]
            if (!action || event.ctrlKey || event.metaKey || event.altKey) return
            event.preventDefault()
            action()
          }}
        >
          {outer > 0 && (
            <PlotCanvas
              plot={plot}
              rows={rows}
              looks={looks}
              zone={zone}
              width={width}
              height={HEIGHT_PX}
              bands={bands}
              onZoom={(span) => show(span)}
              onBack={back}
              onCanvas={keepCanvas}
            />
          )}
        </section>
        {isEmpty && (
          <EmptyRange id={id} rows={rows} span={plot.span} zone={zone} onShow={setRange} />
        )}
      </div>
      <AlarmsInRange id={id} alarms={alarms} rows={rows} />
      <Notes plot={plot} rows={rows} compare={compare} zone={zone} />
      <Actions
        id={id}
        plot={plot}
        rows={rows}
        looks={looks}
        zone={zone}
        compare={compare}
        range={range}
        onCompare={(on) => change({ compare: on ? true : undefined }, true)}
        canvas={() => canvas.current}
      />
      <StatisticsTable id={id} plot={plot} rows={rows} looks={looks} zone={zone} />
    </>
  )
}

const isOutside =
  ({ from, to }: Span) =>
  ({ points }: { points: readonly { time: number }[] }): boolean =>
    !points.some(({ time }) => time >= from && time <= to)

/** The same object as long as its content is the same. */
function useStable<T>(value: T): T {
  const known = useRef(value)
  if (JSON.stringify(known.current) !== JSON.stringify(value)) known.current = value
  return known.current
}

function MissingRight() {
  const { plot: t } = useTexts()
  return (
    <Text className="panel" p="lg" role="alert">
      {t.needsRight}
    </Text>
  )
}

const MAX_SUGGESTIONS = 8

/** The first step: everything of one unit. */
function Begin({ all, onChoose }: { all: readonly Row[]; onChoose: (topics: string[]) => void }) {
  const { plot: t } = useTexts()
  const units = [...Map.groupBy(all, unitOf)].filter(([unit]) => unit !== '')
  const most = units.sort(([, a], [, b]) => b.length - a.length).slice(0, MAX_SUGGESTIONS)
  return (
    <Stack className="panel" p="lg" gap="xs">
      <Text fw={600}>{t.choose}</Text>
      <Text className="muted">{t.chooseHelp}</Text>
      <Group gap="xs">
        {most.map(([unit, rows]) => (
          <Button
            key={unit}
            variant="default"
            onClick={() => onChoose(rows.slice(0, MAX_TOPICS).map(({ short }) => short))}
          >
            {t.allOf(unit, rows.length)}
          </Button>
        ))}
      </Group>
    </Stack>
  )
}
