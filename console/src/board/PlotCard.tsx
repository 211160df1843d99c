import { Group, Text, Title } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { ageText, SILENT_AFTER_S, useNow } from '../clock.ts'
import { Problem } from '../frame/Problem.tsx'
import { type Row, shownValue } from '../live/shown.ts'
import { Mark } from '../plot/Mark.tsx'
import { colorOf } from '../plot/options.ts'
import { PlotCanvas } from '../plot/PlotCanvas.tsx'
import type { Look } from '../plot/palette.ts'
import { presets } from '../plot/range.ts'
import { useScheme } from '../plot/scheme.ts'
import { rangeText } from '../plot/text.ts'
import { type Plot, usePlot } from '../plot/use-plot.ts'
import { useChosen, useZone } from '../plot/use-rows.ts'
import { status } from '../queries.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { type BoardPlot, plotRange, searchOf } from './boards.ts'

const HEIGHT_PX = 220
const MAX_VALUES = 6
const AGE_STEP_MS = 10_000

type Props = { id: number; kept: BoardPlot; all: readonly Row[] }

/** A small plot with the newest values of its lines. */
export function PlotCard({ id, kept, all }: Props) {
  const { board: t, plot: plotTexts } = useTexts()
  const locale = useLocale()
  const zone = useZone(id)
  const search = searchOf(kept)
  const { rows, looks } = useChosen(id, search.topics ?? [], all)
  const { ref: box, width } = useElementSize()
  const range = useMemo(() => plotRange(kept), [kept])
  const plot = usePlot({ id, rows, range, compare: kept.compare === true, zone, width })
  const preset = Object.entries(presets).find(([, s]) => 'last' in range && range.last === s)?.[0]
  const isEmpty = !plot.isPending && plot.lines.every(({ points }) => points.length === 0)
  return (
    <section className="panel board-plot" aria-label={kept.title}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Title order={2} size="md" lineClamp={1}>
          {kept.title}
        </Title>
        <Text className="muted" size="sm" style={{ whiteSpace: 'nowrap' }}>
          {preset
            ? plotTexts[preset as keyof typeof presets]
            : rangeText(plot.span, { zone, locale })}
          {kept.compare && ` · ${plotTexts.dashed(plot.weeks)}`}
        </Text>
      </Group>
      {plot.error && <Problem error={plot.error} again={plot.refetch} />}
      <div ref={box} className="board-canvas" style={{ height: HEIGHT_PX }}>
        <div className={plot.isFetching ? 'progress busy' : 'progress'} />
        {width > 0 && (
          <PlotCanvas
            plot={plot}
            rows={rows}
            looks={looks}
            zone={zone}
            width={width}
            height={HEIGHT_PX}
            isSmall
          />
        )}
        {isEmpty && <Text className="plot-empty muted">{plotTexts.empty}</Text>}
      </div>
      <Newest id={id} plot={plot} rows={rows} looks={looks} />
      <Link
        className="link"
        to="/installations/$id/plot"
        params={{ id }}
        search={search}
        aria-label={t.openNamed(kept.title)}
      >
        {t.open}
      </Link>
    </section>
  )
}

type NewestProps = {
  id: number
  plot: Plot
  rows: readonly Row[]
  looks: ReadonlyMap<string, Look>
}

function Newest({ id, plot, rows, looks }: NewestProps) {
  const texts = useTexts()
  const { board: t, plot: plotTexts } = texts
  const now = Math.floor(useNow() / AGE_STEP_MS) * AGE_STEP_MS
  const locale = useLocale()
  const scheme = useScheme()
  const known = useQuery(status(id)).data
  return (
    <ul className="board-newest" aria-label={t.newest}>
      {rows.slice(0, MAX_VALUES).map((row) => {
        const look = looks.get(row.topic)
        const live = plot.live.get(row.topic)?.at(-1)
        const stored = known?.find(({ topic }) => topic === row.topic)
        const value = live?.value ?? stored?.value
        const shown = value === undefined ? undefined : shownValue(value, row.meta, locale)
        const age = now / 1000 - (live?.time ?? stored?.timestamp ?? now / 1000)
        const isSilent = age > SILENT_AFTER_S
        return (
          <li key={row.topic}>
            <Mark color={colorOf(look, scheme)} dash={look?.dash} />
            <span className="readout-name">{row.name}</span>
            <b className={isSilent ? 'muted' : undefined}>
              {shown ? shown.text : plotTexts.noValue}
            </b>
            {shown?.unit && <span className="unit">{shown.unit}</span>}
            {isSilent && <span className="muted">{ageText(age, texts)}</span>}
          </li>
        )
      })}
      {rows.length > MAX_VALUES && <li className="muted">{t.more(rows.length - MAX_VALUES)}</li>}
    </ul>
  )
}
