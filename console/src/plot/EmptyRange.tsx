import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Row } from '../live/shown.ts'
import { status } from '../queries.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { lengthOf, type Range, type Span } from './range.ts'
import { momentText } from './text.ts'

type Props = {
  id: number
  rows: readonly Row[]
  span: Span
  zone: string
  onShow: (range: Range) => void
}

/** Leads to the newest value when the range has none. */
export function EmptyRange({ id, rows, span, zone, onShow }: Props) {
  const { plot: t } = useTexts()
  const locale = useLocale()
  const topics = new Set(rows.map(({ topic }) => topic))
  const times = (useQuery(status(id)).data ?? []).flatMap(({ topic, timestamp }) =>
    topics.has(topic) ? [timestamp] : []
  )
  const newest = times.length > 0 ? Math.max(...times) : undefined
  const length = lengthOf(span)
  return (
    <Stack className="plot-empty" align="center" gap="xs" role="status">
      <Text fw={600}>{t.empty}</Text>
      <Text className="muted">
        {newest === undefined ? t.never : t.newest(momentText(newest, { zone, locale }))}
      </Text>
      {newest !== undefined && (
        <Button
          variant="light"
          onClick={() =>
            onShow({ from: Math.max(0, newest - length * 0.9), to: newest + length * 0.1 })
          }
        >
          {t.toNewest}
        </Button>
      )}
    </Stack>
  )
}
