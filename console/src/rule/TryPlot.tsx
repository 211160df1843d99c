import { Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useMemo } from 'react'
import type { Severity } from '../alarm/api.ts'
import { bandOf } from '../alarm/of-plot.ts'
import type { Row } from '../live/shown.ts'
import type { Threshold } from '../plot/marks.ts'
import { PlotCanvas } from '../plot/PlotCanvas.tsx'
import { usePlot } from '../plot/use-plot.ts'
import { useChosen, useZone } from '../plot/use-rows.ts'
import { useTexts } from '../texts/texts.ts'
import { type Draft, type Part, readBound } from './form.ts'
import type { Tried } from './types.ts'

const HEIGHT_PX = 300

type Props = {
  id: number
  all: readonly Row[]
  row: Row
  seconds: number
  severity: Severity
  /** Of this topic. */
  found: readonly Tried[]
  draft: Draft
  change: ((draft: Draft) => void) | undefined
}

/** The values of one topic, with the alarms that the rule would have raised and its thresholds. */
export function TryPlot({ id, all, row, seconds, severity, found, draft, change }: Props) {
  const { rule: t } = useTexts()
  const zone = useZone(id)
  const { ref: box, width } = useElementSize()
  const topics = useMemo(() => [row.short], [row.short])
  const { rows, looks } = useChosen(id, topics, all)
  const range = useMemo(() => ({ last: seconds }), [seconds])
  const plot = usePlot({ id, rows, range, compare: false, zone, width })
  const bands = useMemo(() => found.map((one) => bandOf(one, severity)), [found, severity])
  const thresholds = draft.json === '' ? thresholdsOf(draft, row, change, t.threshold) : []
  return (
    <div>
      <section
        ref={box}
        className="panel"
        style={{ height: HEIGHT_PX, position: 'relative' }}
        aria-label={t.canvas(row.name)}
      >
        <div className={plot.isFetching ? 'progress busy' : 'progress'} />
        {width > 0 && (
          <PlotCanvas
            {...{ plot, rows, looks, zone, width, bands, thresholds }}
            height={HEIGHT_PX}
            isSmall
          />
        )}
      </section>
      {thresholds.some(({ move }) => move) && (
        <Text size="sm" className="muted">
          {t.drag}
        </Text>
      )}
    </div>
  )
}

const fieldsOf: Partial<Record<Part['kind'], ('first' | 'second')[]>> = {
  above: ['first'],
  below: ['first'],
  equals: ['first'],
  outside: ['first', 'second']
}

/** A bound in the metadata is of the function, so it stays where it is. */
function thresholdsOf(
  draft: Draft,
  { meta }: Row,
  change: Props['change'],
  name: (place: number) => string
): Threshold[] {
  return draft.parts.flatMap((part, i) =>
    (fieldsOf[part.kind] ?? []).flatMap((field): Threshold[] => {
      const bound = readBound(part[field])
      if (bound === undefined) return []
      const isNumber = typeof bound === 'number'
      const value = isNumber ? bound : Number.parseFloat(meta[bound.meta] ?? '')
      if (!Number.isFinite(value)) return []
      const move = (next: number) => {
        const moved = { ...part, [field]: String(next) }
        change?.({ ...draft, parts: draft.parts.map((one) => (one === part ? moved : one)) })
      }
      const key = `${part.row} ${field}`
      return [{ key, value, name: name(i + 1), ...(isNumber && change && { move }) }]
    })
  )
}
