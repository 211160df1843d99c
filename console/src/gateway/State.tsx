import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../../tools/client/client.ts'
import { Part } from '../frame/Part.tsx'
import { useGatewayText } from '../live/GatewayState.tsx'
import { freshness } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { useMoment } from '../time.ts'

type Props = {
  installation: Schemas['InstallationInfo']
  mayRead: boolean
  mayList: boolean
}

/** Whether the gateway is connected, who it is on MQTT, and what it can do by itself. */
export function State({ installation, mayRead, mayList }: Props) {
  const { gatewayPage: t } = useTexts()
  const { id, client_id } = installation
  return (
    <Part title={t.state}>
      <Connected id={id} mayRead={mayRead} />
      <dl className="gateway-facts">
        <dt>{t.mqttClientId}</dt>
        <dd className="mono">edge-{client_id}</dd>
        <dt>{t.userName}</dt>
        <dd className="mono">{client_id}</dd>
        <dt>{t.capabilities}</dt>
        <dd>
          <Capabilities {...{ id, mayList }} names={installation.capabilities} />
        </dd>
      </dl>
    </Part>
  )
}

function Connected({ id, mayRead }: { id: number; mayRead: boolean }) {
  const { gatewayPage: t, error } = useTexts()
  const { data } = useQuery({ ...freshness, enabled: mayRead })
  const text = useGatewayText()
  const moment = useMoment(id)
  const gateway = data?.find(({ installation_id }) => installation_id === id)?.gateway
  if (!mayRead) return <Text>{`${t.mayNotSee} ${error.needs('status/read')}`}</Text>
  // As high as what comes.
  if (!data) return <Text mih={27} />
  if (!gateway) {
    return (
      <>
        <Text fw={600}>{t.unknown}</Text>
        <Text className="muted">{t.unknownHelp}</Text>
      </>
    )
  }
  const { connected, since } = gateway
  return (
    <Group gap="4px 10px" role="status">
      <span
        className="dot"
        style={{ background: connected ? 'var(--good)' : 'var(--bad)' }}
        aria-hidden
      />
      <Text className="value" c={connected ? undefined : 'var(--bad)'}>
        {text(gateway)}
      </Text>
      <Text className="muted">{since === undefined ? t.never : t.since(moment(since))}</Text>
    </Group>
  )
}

type CapabilitiesProps = { id: number; names: readonly string[]; mayList: boolean }

function Capabilities({ id, names, mayList }: CapabilitiesProps) {
  const { gatewayPage: t } = useTexts()
  if (names.length === 0) return t.noCapability
  return (
    <ul className="gateway-capabilities">
      {names.map((name) => (
        <li key={name}>
          <span className="mono">{name}</span>
          {name === 'schedule' && (
            <>
              {' '}
              {t.capability.schedule}{' '}
              {mayList && (
                <Link className="link" to="/installations/$id/schedules" params={{ id }}>
                  {t.toSchedules}
                </Link>
              )}
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
