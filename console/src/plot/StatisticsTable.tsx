import { Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Row, shownValue } from '../live/shown.ts'
import { status } from '../queries.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { type Sample, statisticsOf } from './lines.ts'
import { Mark } from './Mark.tsx'
import { colorOf } from './options.ts'
import type { Look } from './palette.ts'
import { useScheme } from './scheme.ts'
import { timeText } from './text.ts'
import type { Plot } from './use-plot.ts'

type Props = {
  id: number
  plot: Plot
  rows: readonly Row[]
  looks: ReadonlyMap<string, Look>
  zone: string
}

/** Numbers of what is visible. They are also the plot for those who cannot see it. */
export function StatisticsTable({ id, plot, rows, looks, zone }: Props) {
  const { plot: t } = useTexts()
  const locale = useLocale()
  const scheme = useScheme()
  const seconds = plot.isRaw ? 0 : plot.interval.seconds
  const known = useQuery(status(id)).data
  /** The last sample itself if it is visible, else the mean of the last interval. */
  const newestOf = ({ topic }: Row, last: Sample) => {
    const stored = known?.find((one) => one.topic === topic)
    const sample = plot.live.get(topic)?.at(-1) ?? (stored && sampleOf(stored))
    const isSeen = sample && sample.time >= last.time && sample.time <= plot.span.to
    return isSeen ? { sample, seconds: 0 } : { sample: last, seconds }
  }
  const count = new Intl.NumberFormat(locale)
  return (
    <section
      className="panel statistics"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
      tabIndex={0}
      aria-label={t.statistics}
    >
      <Table verticalSpacing="xs" className="numbers" miw={760}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.visible}</Table.Th>
            <Table.Th ta="right">{t.mean}</Table.Th>
            <Table.Th ta="right">{t.min}</Table.Th>
            <Table.Th ta="right">{t.max}</Table.Th>
            <Table.Th ta="right">{t.last}</Table.Th>
            <Table.Th ta="right">{t.samples}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, i) => {
            const look = looks.get(row.topic)
            const found = statisticsOf(plot.lines[i]?.points ?? [], plot.span, seconds)
            const last = found && newestOf(row, found.last)
            const cell = (sample: Sample, length = seconds) => (
              <Table.Td ta="right">
                <Shown value={sample.value} row={row} locale={locale} />
                <Text size="xs" className="muted">
                  {timeText(sample.time, length, { zone, locale })}
                </Text>
              </Table.Td>
            )
            return (
              <Table.Tr key={row.topic}>
                <Table.Th scope="row" fw={400}>
                  <Mark color={colorOf(look, scheme)} dash={look?.dash} /> {row.name}
                  <span className="topic block">{row.short}</span>
                </Table.Th>
                {found ? (
                  <>
                    <Table.Td ta="right">
                      <Shown value={found.mean} row={row} locale={locale} />
                    </Table.Td>
                    {cell(found.min)}
                    {cell(found.max)}
                    {last && cell(last.sample, last.seconds)}
                  </>
                ) : (
                  <Table.Td ta="right" colSpan={4} className="muted">
                    {plot.isPending ? t.loading : t.noValue}
                  </Table.Td>
                )}
                <Table.Td ta="right">{count.format(found?.count ?? 0)}</Table.Td>
              </Table.Tr>
            )
          })}
        </Table.Tbody>
      </Table>
    </section>
  )
}

const sampleOf = ({ timestamp: time, value }: { timestamp: number; value: number }): Sample => ({
  time,
  value
})

function Shown({ value, row, locale }: { value: number; row: Row; locale: string }) {
  const { text, unit } = shownValue(value, row.meta, locale)
  return (
    <>
      {text}
      {unit && <span className="unit">{unit}</span>}
    </>
  )
}
