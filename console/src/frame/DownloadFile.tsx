import { Button, Group, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { bytesText } from '../bytes.ts'
import { Fault, refusal } from '../modelx/Details.tsx'
import { download } from '../plot/download.ts'
import type { Coming } from '../session/coming.ts'
import { useLocale, useTexts } from '../texts/texts.ts'

type Props = {
  /** Undefined: not yet. */
  load: ((coming: Coming) => Promise<Blob>) | undefined
  file: string
  permission: string
}

/** A button that downloads a file, and says how much of it has come. */
export function DownloadFile({ load, file, permission }: Props) {
  const texts = useTexts()
  const { values: t } = texts
  const locale = useLocale()
  const [bytes, setBytes] = useState<number>()
  const [fault, setFault] = useState('')
  const stop = useRef(new AbortController())
  const isRunning = bytes !== undefined
  const go = async () => {
    if (!load) return
    stop.current = new AbortController()
    const { signal } = stop.current
    setFault('')
    setBytes(0)
    try {
      download(file, await load({ signal, show: setBytes }))
    } catch (error) {
      if (!signal.aborted) setFault(refusal(error as Error, permission, texts))
    }
    setBytes(undefined)
  }
  return (
    <>
      {fault && <Fault text={fault} />}
      <Group>
        <Button
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={isRunning}
          disabled={!load}
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
    </>
  )
}
