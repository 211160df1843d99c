import { Autocomplete, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { brokerUrls } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { brokerOf, isLocal, mosquitto, node, python } from './examples.ts'
import type { Device, Key } from './key.ts'
import { Paste } from './Paste.tsx'

type Props = { clientId: number; device: Device; secret: Key }

/** The second step: the key, which is shown now and never again, and lines to paste. */
export function Examples({ clientId, device, secret }: Props) {
  const { connect: t } = useTexts()
  const known = useQuery(brokerUrls)
  const [own, setOwn] = useState<string>()
  const url = own ?? known.data?.[0] ?? `mqtt://${location.hostname}:1883`
  const broker = brokerOf(url)
  const sending = broker && {
    broker,
    key: secret.token,
    topic: `${clientId}/${device.topic}`,
    ...(device.listens && { listen: `${clientId}/set/#` })
  }
  const line = sending && mosquitto(sending)
  return (
    <Stack>
      <div className="note">
        <Text fw={650}>{t.onceTitle}</Text>
        <Text>{t.once}</Text>
      </div>
      <Paste label={t.key} text={secret.token} isWrapped />
      <Autocomplete
        label={t.broker}
        description={t.brokerHelp}
        error={broker ? undefined : t.brokerWrong}
        data={known.data ?? []}
        value={url}
        onChange={setOwn}
        filter={({ options }) => options}
        maw={420}
      />
      {broker && isLocal(broker) && <Text c="var(--warning)">{t.brokerLocal}</Text>}
      {sending && (
        <Tabs defaultValue={line === undefined ? 'node' : 'shell'} keepMounted={false}>
          <Tabs.List mb="sm">
            {line !== undefined && <Tabs.Tab value="shell">mosquitto_pub</Tabs.Tab>}
            <Tabs.Tab value="python">Python</Tabs.Tab>
            <Tabs.Tab value="node">Node</Tabs.Tab>
          </Tabs.List>
          {line !== undefined && (
            <Tabs.Panel value="shell">
              <Paste label="mosquitto_pub" text={line} isWrapped />
            </Tabs.Panel>
          )}
          <Tabs.Panel value="python">
            <Paste label="Python" text={python(sending)} />
          </Tabs.Panel>
          <Tabs.Panel value="node">
            <Paste label="Node" text={node(sending)} />
          </Tabs.Panel>
        </Tabs>
      )}
    </Stack>
  )
}
