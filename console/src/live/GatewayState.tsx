import { Group, Text } from '@mantine/core'
import type { Schemas } from '../../../tools/client/client.ts'
import { ageText, useNow } from '../clock.ts'
import { useTexts } from '../texts/texts.ts'
import { useMoment } from '../time.ts'

type Gateway = Schemas['GatewayState']

const SHORT_S = 60

/** Whether the gateway is connected, and for how long, in words. */
export function useGatewayText() {
  const texts = useTexts()
  const t = texts.gateway
  const now = useNow() / 1000
  return ({ connected, since }: Gateway): string => {
    if (since === undefined) return connected ? t.connected : t.gone
    const seconds = Math.max(0, now - since)
    if (seconds < SHORT_S) return connected ? t.connected : t.goneNow
    const age = ageText(seconds, texts)
    return connected ? t.connectedFor(age) : t.goneFor(age)
  }
}

/** The first fact of an installation. */
export function GatewayState({ id, gateway }: { id: number; gateway: Gateway }) {
  const { gateway: t } = useTexts()
  const text = useGatewayText()
  const moment = useMoment(id)
  const { connected, since } = gateway
  return (
    <Group gap={6} wrap="nowrap" title={since === undefined ? undefined : t.since(moment(since))}>
      <span
        className="dot"
        style={{ background: connected ? 'var(--good)' : 'var(--bad)' }}
        aria-hidden
      />
      <Text c={connected ? undefined : 'var(--bad)'}>{text(gateway)}</Text>
    </Group>
  )
}
