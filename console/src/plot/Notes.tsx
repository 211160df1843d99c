import { Text } from '@mantine/core'
import type { Row } from '../live/shown.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { AXES, unitsOf } from './options.ts'
import { lengthText } from './text.ts'
import type { Plot } from './use-plot.ts'

type Props = { plot: Plot; rows: readonly Row[]; compare: boolean; zone: string }

/** Says how to read the picture. */
export function Notes({ plot, rows, compare, zone }: Props) {
  const { plot: t } = useTexts()
  const locale = useLocale()
  const others = unitsOf(rows).slice(AXES)
  return (
    <Text size="sm" className="muted" mih={20}>
      {plot.isRaw ? t.rawPoints : t.every(lengthText(plot.interval.seconds, locale))}{' '}
      {t.inZone(zone)}. {compare && t.dashed(plot.weeks)}{' '}
      {others.length > 0 && t.noAxis(others.map((unit) => unit || t.states).join(', '))}{' '}
      <span id="plot-keys" className="keys">
        {t.keys}
      </span>
      <span className="touch">{t.touch}</span>
    </Text>
  )
}
