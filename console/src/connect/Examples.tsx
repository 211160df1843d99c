import { Autocomplete, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { brokerUrls } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { brokerOf, curl, http, isLocal, mosquitto, node, python, type Sending } from './examples.ts'
import type { Device, Key } from './key.ts'
import { Paste } from './Paste.tsx'

type Props = { id: number; clientId: number; device: Device; secret: Key }

/** The second step: the key, which is shown now and never again, and lines to paste. */
export function Examples({ id, clientId, device, secret }: Props) {
  const { connect: t } = useTexts()
  const known = useQuery(brokerUrls)
  return (
    <Stack>
      <div className="note">
        <Text fw={650}>{t.onceTitle}</Text>
        <Text>{t.once}</Text>
      </div>
      <Paste label={t.key} text={secret.token} isWrapped />
      {/* A line with a guessed address would be pasted before the right one is there. */}
      {!known.isPending && (
        <Lines
          id={id}
          clientId={clientId}
          device={device}
          secret={secret}
          urls={known.data ?? []}
        />
      )}
    </Stack>
  )
}

function Lines({ id, clientId, device, secret, urls }: Props & { urls: readonly string[] }) {
  const { connect: t } = useTexts()
  const [url, setUrl] = useState(urls[0] ?? `mqtt://${location.hostname}:1883`)
  const broker = brokerOf(url)
  const sending = broker && {
    broker,
    key: secret.token,
    topic: `${clientId}/${device.topic}`,
    ...(device.listens && { listen: `${clientId}/set/#` })
  }
  const texts = sending && textsOf(sending, id)
  return (
    <>
      <Autocomplete
        label={t.broker}
        description={t.brokerHelp}
        error={broker ? undefined : t.brokerWrong}
        data={[...urls]}
        value={url}
        onChange={setUrl}
        filter={({ options }) => options}
        maw={420}
      />
      {broker && isLocal(broker) && <Text c="var(--warning)">{t.brokerLocal}</Text>}
      {texts && (
        <Tabs key={texts[0]?.name} defaultValue={texts[0]?.name} keepMounted={false}>
          <Tabs.List mb="sm" aria-label={t.ways} className="ways">
            {texts.map(({ name }) => (
              <Tabs.Tab key={name} value={name}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {texts.map(({ name, text, isWrapped }) => (
            <Tabs.Panel key={name} value={name}>
              <Paste label={name} text={text} isWrapped={isWrapped} />
            </Tabs.Panel>
          ))}
        </Tabs>
      )}
    </>
  )
}

type Example = { name: string; text: string; isWrapped: boolean }

/** Those that can speak to the broker, the most common one first. */
function textsOf(sending: Sending, id: number): Example[] {
  const line = (name: string, text: string | undefined): Example[] =>
    text === undefined ? [] : [{ name, text, isWrapped: true }]
  return [
    ...line('curl', curl(sending)),
    ...line('mosquitto_pub', mosquitto(sending)),
    { name: 'Python', text: python(sending), isWrapped: false },
    { name: 'Node', text: node(sending), isWrapped: false },
    ...line('HTTP', http(sending, location.origin, id))
  ]
}
