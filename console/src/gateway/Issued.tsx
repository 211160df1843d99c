import { Button, Group, Modal, Stack, Tabs, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { Paste } from '../connect/Paste.tsx'
import { useTexts } from '../texts/texts.ts'
import type { Credentials } from './api.ts'
import { BridgeText } from './BridgeText.tsx'
import { Download } from './Download.tsx'

type Props = { made: Credentials | undefined; close: () => void }

const ways = ['bridge', 'edge', 'other'] as const

/** The new credential, whose password nobody can see again. */
export function Issued({ made, close }: Props) {
  const { gatewayPage: t, certificate } = useTexts()
  const waysOf = made?.mount ? (['other'] as const) : ways
  // Back must not lose the password either.
  useBlocker({
    shouldBlockFn: () => made !== undefined,
    enableBeforeUnload: () => made !== undefined
  })
  return (
    <Modal
      opened={made !== undefined}
      onClose={close}
      title={t.made}
      size="lg"
      // A click beside it must not lose the password.
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      centered
    >
      {made && (
        <Stack>
          <div className="note">
            <Text fw={650}>{t.onceTitle}</Text>
            <Text>{t.once}</Text>
          </div>
          {made.mount && <Text>{certificate.below(made.mount.prefix)}</Text>}
          <Tabs defaultValue={waysOf[0]} keepMounted={false}>
            <Tabs.List mb="sm" aria-label={t.ways} className="ways">
              {waysOf.map((way) => (
                <Tabs.Tab key={way} value={way}>
                  {t.waysOf[way]}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            <Tabs.Panel value="bridge">
              <BridgeText clientId={made.client_id} password={made.mqtt_password} />
            </Tabs.Panel>
            <Tabs.Panel value="edge">
              <EdgeFile made={made} />
            </Tabs.Panel>
            <Tabs.Panel value="other">
              <Facts made={made} />
            </Tabs.Panel>
          </Tabs>
          <Group justify="flex-end">
            <Button onClick={close}>{t.close}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

function EdgeFile({ made }: { made: Credentials }) {
  const { gatewayPage: t } = useTexts()
  const text = JSON.stringify(made, null, 2)
  return (
    <Stack gap="sm">
      <Text className="muted">{t.edgeHelp}</Text>
      <Paste label={t.waysOf.edge} text={text}>
        <Download name="gateway.json" text={text} />
      </Paste>
    </Stack>
  )
}

function Facts({ made }: { made: Credentials }) {
  const { gatewayPage: t } = useTexts()
  const facts = [
    [t.broker, made.mqtt_broker],
    [t.mqttClientId, made.mqtt_client_id],
    [t.userName, made.mqtt_username],
    [t.api, made.api],
    [t.zone, made.timezone]
  ]
  return (
    <Stack gap="sm">
      <Text className="muted">{t.otherHelp}</Text>
      <dl className="gateway-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="mono">{value}</dd>
          </div>
        ))}
      </dl>
      <Text fw={600}>{t.password}</Text>
      <Paste label={t.password} text={made.mqtt_password} isWrapped />
    </Stack>
  )
}
