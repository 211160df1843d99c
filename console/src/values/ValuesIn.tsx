import { Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { IconFileUpload } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import type { Schemas } from '../../../tools/client/client.ts'
import { Part } from '../frame/Part.tsx'
import { Fault, refusal } from '../modelx/Details.tsx'
import { queryClient, status } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { imported } from './api.ts'

/** Historic values from a file. */
export function ValuesIn({ installation_id }: { installation_id: number }) {
  const texts = useTexts()
  const { values: t } = texts
  const [result, setResult] = useState<Schemas['ImportResult']>()
  const [running, setRunning] = useState('')
  const [fault, setFault] = useState('')
  const stop = useRef(new AbortController())
  const go = async (file: File | null) => {
    if (!file) return
    stop.current = new AbortController()
    const { signal } = stop.current
    setResult(undefined)
    setFault('')
    setRunning(file.name)
    try {
      setResult(await imported(installation_id, file, signal))
      await queryClient.invalidateQueries({ queryKey: status(installation_id).queryKey })
    } catch (error) {
      setFault(signal.aborted ? t.stopped : refusal(error as Error, 'mqtt/publish', texts))
    }
    setRunning('')
  }
  return (
    <Part title={t.in} help={t.inHelp}>
      <Text ff="monospace" size="xs" style={{ whiteSpace: 'pre', overflowX: 'auto' }}>
        {'timestamp,topic,value,msg\n1767225600.25,obj/hall/temperature,21.5,'}
      </Text>
      {fault && <Fault text={fault} />}
      <Group>
        <FileButton
          onChange={(file) => void go(file)}
          accept=".csv,.txt,.json,.ndjson,.jsonl,.gz,text/csv"
        >
          {(props) => (
            <Button
              {...props}
              variant="default"
              loading={running !== ''}
              leftSection={<IconFileUpload size={16} aria-hidden />}
            >
              {t.choose}
            </Button>
          )}
        </FileButton>
        {running !== '' && (
          <>
            <Button variant="default" onClick={() => stop.current.abort()}>
              {t.stop}
            </Button>
            <Text role="status" style={{ overflowWrap: 'anywhere' }}>
              {t.reading(running)}
            </Text>
          </>
        )}
      </Group>
      {result && <Result result={result} />}
    </Part>
  )
}

function Result({ result: { imported, rejected, errors } }: { result: Schemas['ImportResult'] }) {
  const { values: t } = useTexts()
  return (
    <Stack gap={4} role="status">
      <Text fw={600}>{t.imported(imported, rejected)}</Text>
      {errors.map(({ line, message }) => (
        <Text key={line} style={{ overflowWrap: 'anywhere' }}>
          {t.line(line, message)}
        </Text>
      ))}
      {rejected > errors.length && (
        <Text className="muted">{t.more(rejected - errors.length)}</Text>
      )}
    </Stack>
  )
}
