import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { DownloadFile } from '../frame/DownloadFile.tsx'
import { Part } from '../frame/Part.tsx'
import { useTexts } from '../texts/texts.ts'
import { exported, type Format } from './api.ts'
import { nothing, StretchFields, stretchOf } from './StretchFields.tsx'

type Props = { installation_id: number; name: string; zone: string }

/** Historic values as a file. */
export function ValuesOut({ installation_id, name, zone }: Props) {
  const { values: t } = useTexts()
  const [typed, setTyped] = useState(nothing)
  const [format, setFormat] = useState<Format>('csv')
  const stretch = stretchOf(typed, zone)
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
      <DownloadFile
        load={stretch && ((coming) => exported(installation_id, { ...stretch, format }, coming))}
        file={`${name}.${format}`}
        permission="log/read"
      />
    </Part>
  )
}
