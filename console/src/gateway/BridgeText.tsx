import { Autocomplete, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { brokerOf, isLocal } from '../connect/examples.ts'
import { Paste } from '../connect/Paste.tsx'
import { brokerUrls } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { BRIDGE_FILE, bridgeText, PASSWORD } from './bridge.ts'
import { Download } from './Download.tsx'

type Props = {
  clientId: number
  /** Undefined: it is not known any more. */
  password: string | undefined
}

/** The configuration of a bridge, for the address that the gateway uses. */
export function BridgeText(props: Props) {
  const known = useQuery(brokerUrls)
  // A line with a guessed address would be copied before the right one is there.
  if (known.isPending) return <Skeleton h={300} />
  return <ForUrls {...props} urls={known.data ?? []} />
}

function ForUrls({ clientId, password, urls }: Props & { urls: readonly string[] }) {
  const { gatewayPage: t, connect } = useTexts()
  const bridged = urls.filter((url) => /^mqtts?:/.test(url))
  const [url, setUrl] = useState(bridged[0] ?? `mqtt://${location.hostname}:1883`)
  const broker = brokerOf(url)
  const text = broker && bridgeText({ broker, clientId, password: password ?? PASSWORD })
  return (
    <Stack gap="sm">
      <Autocomplete
        label={connect.broker}
        description={connect.brokerHelp}
        error={broker ? (text ? undefined : t.noBridge) : connect.brokerWrong}
        data={bridged}
        value={url}
        onChange={setUrl}
        filter={({ options }) => options}
        comboboxProps={{ zIndex: 400 }}
        maw={420}
      />
      {broker && isLocal(broker) && <Text c="var(--warning)">{connect.brokerLocal}</Text>}
      {text && (
        <>
          {password === undefined && <Text>{t.bridgePassword(PASSWORD)}</Text>}
          <Paste label={t.bridgeText} text={text}>
            <Download name="caracal.conf" text={text} />
          </Paste>
          <Text className="muted">{t.bridgeSteps(BRIDGE_FILE)}</Text>
          <Text className="muted">{t.bridgeTopics(`${clientId}/obj/temperature`)}</Text>
        </>
      )}
    </Stack>
  )
}
