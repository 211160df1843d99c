import { Button, CopyButton, Group, Switch } from '@mantine/core'
import { IconBell, IconDownload, IconLink, IconPhoto } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { KeepOnBoard } from '../board/KeepOnBoard.tsx'
import type { Row } from '../live/shown.ts'
import { installations, rights } from '../queries.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { download, plotCsv, plotPng } from './download.ts'
import { colorOf } from './options.ts'
import { dashes, type Look, olderLook } from './palette.ts'
import type { Range } from './range.ts'
import { useScheme } from './scheme.ts'
import { rangeText } from './text.ts'
import type { Plot } from './use-plot.ts'
import { wallText } from './zone.ts'

type Props = {
  id: number
  plot: Plot
  rows: readonly Row[]
  looks: ReadonlyMap<string, Look>
  zone: string
  compare: boolean
  range: Range
  onCompare: (on: boolean) => void
  canvas: () => HTMLCanvasElement | undefined
}

/** What can be done with the plot. */
export function Actions({ id, plot, rows, looks, zone, compare, range, onCompare, canvas }: Props) {
  const { plot: t, rule } = useTexts()
  const locale = useLocale()
  const scheme = useScheme()
  const name = useQuery(installations).data?.find((one) => one.id === id)?.name ?? ''
  const may = useQuery(rights(id)).data
  const fileName = (kind: string) =>
    `plot-${wallText(zone, plot.span.to * 1000).replace(':', '')}.${kind}`
  const savePng = async () => {
    const found = canvas()
    const legend = rows.flatMap((row) => {
      const look = looks.get(row.topic)
      const color = colorOf(look, scheme)
      const line = { name: row.name, color, dash: dashes[look?.dash ?? 0] ?? [] }
      if (plot.before.length === 0) return [line]
      const name = t.before(row.name, plot.weeks)
      return [line, { name, color: color + olderLook.opacity, dash: olderLook.dash }]
    })
    const title = `${name}, ${rangeText(plot.span, { zone, locale })} (${zone})`
    const file = found && (await plotPng(found, { title, legend, scheme }))
    if (file) download(fileName('png'), file)
  }
  return (
    <Group gap="xs">
      <Switch
        label={t.compareWith(plot.weeks)}
        checked={compare}
        onChange={(event) => onCompare(event.currentTarget.checked)}
        mr="md"
      />
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() => download(fileName('csv'), plotCsv(plot, rows, zone))}
      >
        {t.csv}
      </Button>
      <Button
        variant="default"
        leftSection={<IconPhoto size={16} aria-hidden />}
        onClick={() => void savePng()}
      >
        {t.png}
      </Button>
      <CopyButton value={location.href}>
        {({ copied, copy }) => (
          <Button variant="default" leftSection={<IconLink size={16} aria-hidden />} onClick={copy}>
            {copied ? t.copied : t.link}
          </Button>
        )}
      </CopyButton>
      {may?.['rule/create_delete'] && (
        <Button
          variant="default"
          leftSection={<IconBell size={16} aria-hidden />}
          renderRoot={(props) => (
            <Link
              to="/installations/$id/rules"
              params={{ id }}
              search={{ add: true, topics: rows.map(({ short }) => short) }}
              {...props}
            />
          )}
        >
          {rule.ofPlot}
        </Button>
      )}
      {may?.['installation/update'] && (
        <KeepOnBoard id={id} rows={rows} range={range} compare={compare} />
      )}
    </Group>
  )
}
