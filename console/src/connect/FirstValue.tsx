import { Alert, Group, List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ageText, useNow } from '../clock.ts'
import { subscribe } from '../live/connection.ts'
import { shownValue } from '../live/shown.ts'
import { readValue } from '../live/values.ts'
import { ledger, status } from '../queries.ts'
import { useLanguage, useTexts } from '../texts/texts.ts'
import type { Before, Device } from './key.ts'
import { kinds } from './topics.ts'

const POLL_MS = 3000

type Props = {
  id: number
  clientId: number
  device: Device
  before: Before
  mayRead: boolean
  mayLook: boolean
  onValue: () => void
}

type Arrived = { value: number; msg: string; timestamp: number }

/** The third step: the first value as it arrives, or why it was refused. */
export function FirstValue({ id, clientId, device, before, mayRead, mayLook, onValue }: Props) {
  const texts = useTexts()
  const t = texts.connect
  const topic = `${clientId}/${device.topic}`
  const { value, other, refusal } = useArrivals({
    ...{ id, clientId, topic, before, mayRead, mayLook }
  })
  const told = useRef(false)
  useEffect(() => {
    if (!value || told.current) return
    told.current = true
    onValue()
  }, [value, onValue])
  if (value) return <Big value={value} device={device} topic={topic} />
  return (
    <Stack gap="sm">
      <Group gap="sm" wrap="nowrap" role="status">
        <span className="dot waits" style={{ background: 'var(--accent)' }} />
        <Text style={{ overflowWrap: 'anywhere' }}>{t.waiting(topic)}</Text>
      </Group>
      {!mayRead && <Text c="var(--warning)">{t.mayNotRead}</Text>}
      {other !== undefined && <Text c="var(--warning)">{t.otherTopic(other)}</Text>}
      {refusal && (
        <Alert color="red" variant="light" role="alert" title={t.refused(refusal.reason)}>
          <Text>{t.reasons[refusal.reason as keyof typeof t.reasons] ?? t.refusedElse}</Text>
          <Text ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {refusal.topic} {refusal.payload}
          </Text>
        </Alert>
      )}
      <Text className="muted">{t.nothingYet}</Text>
      <List size="sm" className="muted">
        {t.checks.map((check) => (
          <List.Item key={check}>{check}</List.Item>
        ))}
      </List>
    </Stack>
  )
}

type Watched = Omit<Props, 'device' | 'onValue'> & { topic: string }

/** What came since before the key was made, by MQTT and, for who may not listen, by HTTP. */
function useArrivals({ id, clientId, topic, before, mayRead, mayLook }: Watched) {
  const [value, setValue] = useState<Arrived>()
  const [other, setOther] = useState<string>()
  const isWaiting = value === undefined
  const polled = { refetchInterval: isWaiting ? POLL_MS : (false as const), staleTime: 0 }
  const known = useQuery({ ...status(id), ...polled, enabled: mayRead }).data
  const refused = useQuery({ ...ledger(id), ...polled, enabled: mayLook }).data
  useEffect(() => {
    for (const one of known ?? []) {
      const isNew = before.timestamps.get(one.topic) !== one.timestamp
      if (isNew && one.topic === topic) setValue((now) => now ?? one)
      else if (!before.timestamps.has(one.topic)) setOther(one.topic)
    }
  }, [known, before, topic])
  useEffect(
    () =>
      subscribe(`${clientId}/obj/#`, (heard, payload) => {
        const arrived = heard === topic ? readValue(payload, Date.now()) : undefined
        if (arrived) setValue(arrived)
      }),
    [clientId, topic]
  )
  const newRefusals = refused?.filter((one) => one.id > before.refusal)
  const refusal = newRefusals?.find((one) => one.topic === topic) ?? newRefusals?.[0]
  return { value, other, refusal }
}

function Big({ value, device, topic }: { value: Arrived; device: Device; topic: string }) {
  const texts = useTexts()
  const shown = shownValue(value.value, { unit: kinds[device.kind] }, useLanguage())
  const age = ageText(useNow() / 1000 - value.timestamp, texts)
  return (
    <Stack gap={4}>
      <Text c="var(--good)" fw={600} role="status">
        {texts.connect.arrived}
      </Text>
      <div className="big">
        {shown.text}
        {shown.unit && <span className="unit">{shown.unit}</span>}
      </div>
      <Text className="muted">{texts.connect.age(age)}</Text>
      <Text className="topic">{topic}</Text>
    </Stack>
  )
}
