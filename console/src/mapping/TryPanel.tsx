import { Select, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTexts } from '../texts/texts.ts'
import { useMoment } from '../time.ts'
import { type Trial, trial } from './api.ts'
import type { MappingBody } from './draft.ts'
import { useHeard } from './heard.ts'

type Props = {
  installation: { id: number; client_id: number }
  /** Undefined: the form cannot be read yet. */
  body: MappingBody | undefined
}

const TYPING_MS = 250

/** Shows, while one types, what the mapping makes of a message that the installation really sent. */
export function TryPanel({ installation, body }: Props) {
  const { mapping: t } = useTexts()
  const heard = useHeard(installation)
  const [typed, setTyped] = useState<{ topic: string; payload: string }>()
  const [newest] = heard
  const message = typed ?? newest ?? { topic: '', payload: '' }
  return (
    <Stack gap="sm" component="section" aria-label={t.tryTitle}>
      <Title order={2} size="h4">
        {t.tryTitle}
      </Title>
      <Select
        label={t.heard}
        placeholder={heard.length === 0 ? t.nothingHeard : t.choose}
        data={heard.map(({ topic }) => topic)}
        value={heard.some(({ topic }) => topic === message.topic) ? message.topic : null}
        disabled={heard.length === 0}
        searchable
        comboboxProps={{ zIndex: 400 }}
        onChange={(topic) => setTyped(heard.find((one) => one.topic === topic))}
      />
      <TextInput
        label={t.messageTopic}
        placeholder="dev/tele/plug/SENSOR"
        value={message.topic}
        onChange={(event) => setTyped({ ...message, topic: event.currentTarget.value })}
      />
      <Textarea
        label={t.payload}
        classNames={{ input: 'topic' }}
        autosize
        minRows={3}
        maxRows={14}
        value={message.payload}
        onChange={(event) => setTyped({ ...message, payload: event.currentTarget.value })}
      />
      <Outcome id={installation.id} message={message} body={body} />
    </Stack>
  )
}

type OutcomeProps = {
  id: number
  message: { topic: string; payload: string }
  body: MappingBody | undefined
}

function Outcome({ id, message, body }: OutcomeProps) {
  const texts = useTexts()
  const t = texts.mapping
  const [asked] = useDebouncedValue({ message, body }, TYPING_MS)
  const { data, error, isPending } = useQuery({
    ...trial(id, asked.message, asked.body),
    placeholderData: keepPreviousData
  })
  if (!body) return <Text className="muted">{t.incomplete}</Text>
  if (message.topic === '') return <Text className="muted">{t.noMessage}</Text>
  if (error) return <Text role="alert">{error.message}</Text>
  if (isPending) return <Text className="muted">{t.trying}</Text>
  return <Found id={id} found={data} />
}

function Found({ id, found: { values, refused } }: { id: number; found: Trial }) {
  const { mapping: t } = useTexts()
  const moment = useMoment(id)
  return (
    <Stack gap="xs" aria-live="polite">
      {values.length > 0 && (
        <table className="panel tried">
          <thead>
            <tr>
              <th>{t.topic}</th>
              <th className="number">{t.value}</th>
              <th>{t.time}</th>
            </tr>
          </thead>
          <tbody>
            {values.map(({ topic, value, timestamp }) => (
              <tr key={`${topic} ${timestamp}`}>
                <td className="topic">{topic}</td>
                <td className="number">{value}</td>
                <td className="muted">{moment(timestamp)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {refused.map(({ path, reason }) => (
        <Text key={`${path} ${reason}`} role="alert" c="var(--bad)">
          {path === '' ? reason : `${path}: ${reason}`}
        </Text>
      ))}
      {values.length === 0 && refused.length === 0 && <Text>{t.nothingMade}</Text>}
    </Stack>
  )
}
