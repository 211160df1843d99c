import { Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { refusal } from '../modelx/Details.tsx'
import { useTexts } from '../texts/texts.ts'
import { trial } from './api.ts'
import { Payload } from './Payload.tsx'
import { examplePayload, readPayload } from './payload.ts'

const PAUSE_MS = 400

/** How the message reads with a value, while it is written. */
export function Preview({ installation_id, text }: { installation_id: number; text: string }) {
  const texts = useTexts()
  const { notifications: t } = texts
  const [given, setGiven] = useState(examplePayload)
  const [asked] = useDebouncedValue(text, PAUSE_MS)
  const [payloadText] = useDebouncedValue(given, PAUSE_MS)
  const payload = readPayload(payloadText)
  const { data, error } = useQuery({
    ...trial(installation_id, { text: asked, payload: payload ?? {} }),
    enabled: asked !== '' && payload !== undefined,
    placeholderData: keepPreviousData
  })
  return (
    <Stack component="section" gap="sm" aria-label={t.previewTitle}>
      <Title order={2} size="h4">
        {t.previewTitle}
      </Title>
      <Payload {...{ installation_id }} text={given} change={setGiven} isFilled />
      <div className="panel outcome" aria-live="polite">
        {text === '' ? (
          <Text className="muted">{t.previewEmpty}</Text>
        ) : error ? (
          <Text c="var(--bad)">{refusal(error, 'notification/message/update', texts)}</Text>
        ) : (
          <Text>{data?.text}</Text>
        )}
      </div>
    </Stack>
  )
}
