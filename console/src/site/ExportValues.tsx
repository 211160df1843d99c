import { Button, Group, Select, Text, TextInput } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { Fault, refusal } from '../modelx/Details.tsx'
import { download } from '../plot/download.ts'
import { readWallText, zoneOr } from '../plot/zone.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { useZone } from '../time.ts'
import { bytesText } from './amounts.ts'
import { exportValues, type Format } from './export.ts'

type State =
  | { is: 'busy'; bytes: number }
  | { is: 'done'; bytes: number }
  | { is: 'stopped' }
  | { is: 'failed'; error: Error }

const formats = ['csv', 'ndjson'] as const
/** The last moment of a day, in seconds. */
const END_S = 0.001

/** Values of some days as a file. */
export function ExportValues({ id, name }: { id: number; name: string }) {
  const texts = useTexts()
  const { site: t } = texts
  const locale = useLocale()
  const zone = zoneOr(useZone(id))
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [format, setFormat] = useState<Format>('csv')
  const { state, start, stop } = useExport(id, name)
  const isBackwards = from !== '' && to !== '' && from > to
  const isBusy = state?.is === 'busy'
  return (
    <form
      className="site-form"
      onSubmit={(event) => {
        event.preventDefault()
        const startOf = (day: string) => readWallText(zone, `${day}T00:00`)
        const first = startOf(from)
        const last = startOf(dayAfter(to))
        void start({
          from: first === undefined ? undefined : first / 1000,
          to: last === undefined ? undefined : last / 1000 - END_S,
          format
        })
      }}
    >
      <div>
        <Text fw={600}>{t.values}</Text>
        <Text className="muted">{t.valuesHelp}</Text>
      </div>
      <Group gap="sm" align="flex-start">
        <TextInput
          type="date"
          label={t.fromDay}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label={t.toDay}
          value={to}
          error={isBackwards && t.daysOrder}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <Select
          label={t.format}
          allowDeselect={false}
          data={formats.map((value) => ({ value, label: t.formats[value] }))}
          value={format}
          onChange={(value) => setFormat(value === 'ndjson' ? 'ndjson' : 'csv')}
        />
      </Group>
      {state?.is === 'failed' && <Fault text={refusal(state.error, 'log/read', texts)} />}
      <Group gap="sm">
        <Button
          type="submit"
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          disabled={isBackwards}
          loading={isBusy}
        >
          {t.download}
        </Button>
        {isBusy && (
          <Button variant="subtle" onClick={stop}>
            {t.stop}
          </Button>
        )}
        <Text role="status" className="muted">
          {isBusy && t.downloading(bytesText(state.bytes, locale))}
          {state?.is === 'done' && t.downloaded(bytesText(state.bytes, locale))}
          {state?.is === 'stopped' && t.stopped}
        </Text>
      </Group>
    </form>
  )
}

function useExport(id: number, name: string) {
  const [state, setState] = useState<State>()
  const work = useRef<AbortController>(null)
  const start = async (asked: Parameters<typeof exportValues>[1]) => {
    const own = new AbortController()
    work.current = own
    setState({ is: 'busy', bytes: 0 })
    try {
      const shows = (bytes: number) => setState({ is: 'busy', bytes })
      const file = await exportValues(id, asked, { signal: own.signal, shows })
      download(`${fileNameOf(name)}.${asked.format}`, file)
      setState({ is: 'done', bytes: file.size })
    } catch (error) {
      setState(own.signal.aborted ? { is: 'stopped' } : { is: 'failed', error: error as Error })
    }
  }
  return { state, start, stop: () => work.current?.abort() }
}

/** No system accepts all characters in the name of a file. */
const fileNameOf = (name: string): string =>
  name
    .replaceAll(/[^\p{L}\p{N} ._-]+/gu, '_')
    .trim()
    .slice(0, 80) || 'values'

const DAY_MS = 86_400_000

function dayAfter(day: string): string {
  const at = Date.parse(day)
  return Number.isFinite(at) ? new Date(at + DAY_MS).toISOString().slice(0, 10) : ''
}
