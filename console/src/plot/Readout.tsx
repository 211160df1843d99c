import { type Row, shownValue } from '../live/shown.ts'
import { type Store, useStore } from '../store.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { type Point, pointAt } from './lines.ts'
import { Mark } from './Mark.tsx'
import { colorOf } from './options.ts'
import type { CursorAt } from './PlotCanvas.tsx'
import type { Look } from './palette.ts'
import { lengthOf } from './range.ts'
import { isState } from './rows.ts'
import { useScheme } from './scheme.ts'
import { timeText } from './text.ts'
import type { Plot } from './use-plot.ts'

type Props = {
  cursor: Store<CursorAt>
  plot: Plot
  rows: readonly Row[]
  looks: ReadonlyMap<string, Look>
  zone: string
}

/** Beside the cursor there would be no space for names. */
const NARROW_PX = 560
/** In a shorter range milliseconds matter. */
const FINE_S = 120

/** The values of all lines at the cursor, and its time. The table below has them for readers. */
export function Readout({ cursor, plot, rows, looks, zone }: Props) {
  const { plot: t } = useTexts()
  const locale = useLocale()
  const scheme = useScheme()
  const at = useStore(cursor)
  if (!at) return null
  const seconds = plot.isRaw ? 0 : plot.interval.seconds
  const points = plot.lines.map((line) => pointAt(line, at.time))
  const begin = points.find((point) => point !== undefined)?.time ?? at.time
  const isFine = lengthOf(plot.span) <= FINE_S
  const isNarrow = at.width < NARROW_PX
  return (
    <div
      className="readout panel"
      aria-hidden
      style={isNarrow ? { left: 0, right: 0 } : besides(at)}
    >
      <div className="muted">{timeText(begin, seconds, { zone, locale }, isFine)}</div>
      {rows.map((row, i) => {
        const look = looks.get(row.topic)
        const point = points[i]
        const older = plot.before[i] && pointAt(plot.before[i], at.time)
        return (
          <div key={row.topic} className="readout-line">
            <Mark color={colorOf(look, scheme)} dash={look?.dash} />
            <span className="readout-name">{row.name}</span>
            <b>{point ? pointText(point, row, locale, !isNarrow) : t.noValue}</b>
            {older && (
              <span className="muted">{t.earlier(pointText(older, row, locale, false))}</span>
            )}
          </div>
        )
      })}
    </div>
  )
}

/** On the side of the cursor that has more space. */
const besides = ({ left, width }: NonNullable<CursorAt>) =>
  left < width / 2
    ? { left: left + 12, maxWidth: width - left - 12 }
    : { right: width - left + 12, maxWidth: left - 12 }

/** `21.3 °C (20.8 – 21.9)`. */
function pointText(
  { value, min, max }: Point,
  row: Row,
  locale: string,
  hasRange: boolean
): string {
  const text = (number: number) => shownValue(number, row.meta, locale).text
  const { unit } = shownValue(value, row.meta, locale)
  if (isState(row.meta) && min !== max) return `${text(min)} – ${text(max)}`
  const shown = unit ? `${text(value)} ${unit}` : text(value)
  return min === max || !hasRange ? shown : `${shown} (${text(min)} – ${text(max)})`
}
