import { SegmentedControl, Skeleton, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../../tools/client/client.ts'
import { bytesText } from '../bytes.ts'
import { numberFormat } from '../formats.ts'
import { Problem } from '../frame/Problem.tsx'
import { useLocale, useTexts } from '../texts/texts.ts'
import { type Hours, history, ranges } from './api.ts'
import { useTime } from './time.ts'
import { HEIGHT, type Kind, pathOf, summaryOf, topOf, trends, WIDTH } from './trends.ts'

type Props = { hours: Hours; set: (hours: Hours) => void }

/** Rates and latencies of the node over time. */
export function Trends({ hours, set }: Props) {
  const { system: t } = useTexts()
  const { data, error, refetch } = useQuery({
    ...history(hours),
    placeholderData: keepPreviousData
  })
  const isEmpty = data?.figures.memory_bytes.every((value) => value === null)
  return (
    <>
      <SegmentedControl
        aria-label={t.range}
        style={{ justifySelf: 'start' }}
        value={String(hours)}
        onChange={(value) => set(Number(value) as Hours)}
        data={ranges.map((value) => ({ value: String(value), label: t.hours[value] }))}
      />
      {error && !data && <Problem error={error} again={() => void refetch()} />}
      {!data && !error && <Skeleton h={260} radius={12} />}
      {isEmpty && <Text className="muted">{t.noFigures}</Text>}
      {data && !isEmpty && (
        <div className="system-trends">
          {trends.map((trend) => (
            <Trend key={trend.name} trend={trend} history={data} />
          ))}
        </div>
      )}
    </>
  )
}

const colours = ['var(--plot)', 'var(--accent)']

type TrendProps = { trend: (typeof trends)[number]; history: Schemas['SystemFigures'] }

function Trend({ trend: { name, kind, lines }, history }: TrendProps) {
  const { system: t } = useTexts()
  const write = useWriter(kind)
  const time = useTime()
  const [at, setAt] = useState<number>()
  const values = lines.map((line) => history.figures[line])
  const top = topOf(values)
  const point = at === undefined ? undefined : Math.round(at * (history.times.length - 1))
  const texts = lines.map((line, i) => {
    const summary = summaryOf(values[i] ?? [])
    const label = line in t.line ? `${t.line[line as keyof typeof t.line]}: ` : ''
    if (point !== undefined) return `${label}${write(values[i]?.[point] ?? null)}`
    return `${label}${summary ? t.newest(write(summary.newest), write(summary.most)) : t.unknown}`
  })
  return (
    <figure>
      <figcaption>{t.trend[name]}</figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${t.trend[name]}: ${texts.join('; ')}`}
        onPointerMove={({ currentTarget, clientX }) => {
          const { left, width } = currentTarget.getBoundingClientRect()
          setAt(Math.min(1, Math.max(0, (clientX - left) / width)))
        }}
        onPointerLeave={() => setAt(undefined)}
      >
        {values.map((line, i) => (
          <path key={lines[i]} d={pathOf(line, top)} stroke={colours[i]} />
        ))}
        {at !== undefined && <path d={`M${at * WIDTH} 0V${HEIGHT}`} stroke="var(--muted)" />}
      </svg>
      {texts.map((text, i) => (
        <Text key={lines[i]} size="sm" className="muted">
          {lines.length > 1 && (
            <span className="dot" style={{ background: colours[i] }} aria-hidden />
          )}{' '}
          {text}
        </Text>
      ))}
      <Text size="sm" className="muted" aria-hidden>
        {point === undefined ? '\u00a0' : time(history.times[point] ?? 0)}
      </Text>
    </figure>
  )
}

function useWriter(kind: Kind): (value: number | null) => string {
  const { system: t } = useTexts()
  const locale = useLocale()
  const number = (value: number) =>
    numberFormat(locale, { maximumSignificantDigits: 3 }).format(value)
  return (value) => {
    if (value === null) return '–'
    if (kind === 'bytes') return bytesText(value, locale)
    if (kind === 'rate') return t.perSecond(number(value))
    if (kind === 'count') return numberFormat(locale, { maximumFractionDigits: 0 }).format(value)
    return value < 1 ? `${number(value * 1000)} ms` : `${number(value)} s`
  }
}
