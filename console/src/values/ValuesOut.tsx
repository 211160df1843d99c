import { Button, Group, SegmentedControl, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { bytesText } from '../bytes.ts'
import { Part } from '../frame/Part.tsx'
import { Fault, refusal } from '../modelx/Details.tsx'
import { download } from '../plot/download.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { exported, type Format } from './api.ts'
import { nothing, StretchFields, stretchOf } from './StretchFields.tsx'

type Props = { installation_id: number; name: string; zone: string }

/** Historic values as a file. */
export function ValuesOut({ installation_id, name, zone }: Props) {
  const texts = useTexts()
  const { values: t } = texts
  const locale = useLocale()
  const [typed, setTyped] = useState(nothing)
  const [format, setFormat] = useState<Format>('csv')
  const [bytes, setBytes] = useState<number>()
  const [fault, setFault] = useState('')
  const stop = useRef(new AbortController())
  const stretch = stretchOf(typed, zone)
  const isRunning = bytes !== undefined
  const go = async () => {
    if (!stretch) return
    stop.current = new AbortController()
    const { signal } = stop.current
    setFault('')
    setBytes(0)
    try {
      const file = await exported(
        installation_id,
        { ...stretch, format },
        { signal, show: setBytes }
      )
      download(`${name}.${format}`, file)
    } catch (error) {
      if (!signal.aborted) setFault(refusal(error as Error, 'log/read', texts))
    }
    setBytes(undefined)
  }
  return (
    <Part title={t.out} help={t.outHelp}>
      <StretchFields {...{ installation_id, zone, typed }} set={setTyped} />
      <SegmentedControl
        aria-label={t.format}
        value={format}
        onChange={(value) => setFormat(value as Format)}
        data={[
          { value: 'csv', label: 'CSV' },
          { value: 'ndjson', label: 'NDJSON' }
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      {fault && <Fault text={fault} />}
      <Group>
        <Button
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={isRunning}
          disabled={!stretch}
          onClick={() => void go()}
        >
          {t.download}
        </Button>
        {isRunning && (
          <>
            <Button variant="default" onClick={() => stop.current.abort()}>
              {t.stop}
            </Button>
            <Text role="status">{t.came(bytesText(bytes, locale))}</Text>
          </>
        )}
      </Group>
    </Part>
  )
}
