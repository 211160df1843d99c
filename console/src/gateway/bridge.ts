import type { Broker } from '../connect/examples.ts'

export const BRIDGE_FILE = '/etc/mosquitto/conf.d/caracal.conf'
/** Stands where the password is not known. */
export const PASSWORD = 'PASSWORD'

/** Values, their changes, commands and events: everything that the platform and a gateway tell each other. */
const trees = ['obj', 'set', 'cmd', 'evt']

type Bridge = { broker: Broker; clientId: number; password: string }

/** The configuration of a bridge for Mosquitto; undefined if it cannot speak to the broker. */
export function bridgeText({ broker, clientId, password }: Bridge): string | undefined {
  const { scheme, host, port } = broker
  if (scheme === 'ws' || scheme === 'wss') return undefined
  return [
    'connection caracal',
    `address ${host}:${port}`,
    ...(scheme === 'mqtts' ? ['bridge_capath /etc/ssl/certs'] : []),
    `remote_clientid edge-${clientId}`,
    `remote_username ${clientId}`,
    `remote_password ${password}`,
    '',
    '# messages wait while the line is down',
    'cleansession false',
    'keepalive_interval 60',
    'restart_timeout 2 30',
    `notification_topic ${clientId}/box/event/status`,
    '',
    ...trees.map((tree) => `topic ${tree}/# both 1 "" ${clientId}/`)
  ].join('\n')
}
