/** The address of a broker in its parts; undefined if it is none. */
export type Broker = {
  scheme: 'mqtt' | 'mqtts' | 'ws' | 'wss'
  host: string
  port: number
  path: string
}

const ports = { mqtt: 1883, mqtts: 8883, ws: 80, wss: 443 }

export function brokerOf(url: string): Broker | undefined {
  const [, scheme, authority = '', path = ''] = /^(mqtts?|wss?):\/\/([^/]+)(\/.*)?$/.exec(url) ?? []
  if (scheme === undefined || !URL.canParse(`http://${authority}`)) return undefined
  const { hostname, port, username } = new URL(`http://${authority}`)
  if (hostname === '' || username !== '') return undefined
  const name = scheme as Broker['scheme']
  const written = /:(\d+)$/.exec(authority)?.[1]
  return {
    scheme: name,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || written || ports[name]),
    path
  }
}

/** The host as it is written in a URL. */
const nameIn = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** Only this machine reaches such an address. */
export const isLocal = ({ host }: Broker): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.')

export type Sending = {
  broker: Broker
  key: string
  /** With the client id. */
  topic: string
  /** The filter of commands, for a device that listens too. */
  listen?: string
}

/** Inside single quotes a shell changes nothing. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A text of JSON is a text of Python and JavaScript too. */
const quoted = (text: string): string => JSON.stringify(text)

const VALUE = '{"value": 21.5}'

/**
 * curl speaks MQTT without TLS and without WebSocket. It decodes the topic as a path of a URL, and
 * sends no keep-alive, so it cannot listen for long.
 */
export function curl({ broker, key, topic, listen }: Sending): string | undefined {
  const { scheme, host, port } = broker
  if (scheme !== 'mqtt') return undefined
  const path = topic.split('/').map(encodeURIComponent).join('/')
  const url = `mqtt://${nameIn(host)}:${port}/${path}`
  const send = `curl -sS -u ${shellQuoted(`token:${key}`)} -d ${shellQuoted(VALUE)} ${shellQuoted(url)}`
  return listen === undefined ? send : `${send}\n\n# curl only sends; the others listen too`
}

/** Over HTTP, for a device without MQTT. `url` is the address of the API and `id` the installation. */
export function http({ key, topic }: Sending, url: string, id: number): string {
  const to = shellQuoted(`${url}/api/v3beta/sample/${id}`)
  const values = shellQuoted(`[{"topic": ${quoted(topic)}, "value": 21.5}]`)
  return `curl -sS -f -H ${shellQuoted(`X-API-Key: ${key}`)} -d ${values} ${to}`
}

/** mosquitto_pub speaks no WebSocket in the versions that systems have. */
export function mosquitto({ broker, key, topic, listen }: Sending): string | undefined {
  const { scheme, host, port } = broker
  if (scheme === 'ws' || scheme === 'wss') return undefined
  const to = [
    `-h ${shellQuoted(host)} -p ${port}`,
    ...(scheme === 'mqtts' ? ['--capath /etc/ssl/certs'] : []),
    `-u token -P ${shellQuoted(key)} -q 1`
  ].join(' ')
  const send = `mosquitto_pub ${to} -t ${shellQuoted(topic)} -m ${shellQuoted(VALUE)}`
  return listen === undefined
    ? send
    : `${send}\n\n# commands, until you stop it\nmosquitto_sub ${to} -v -t ${shellQuoted(listen)}`
}

export function python({ broker: { scheme, host, port, path }, key, topic, listen }: Sending) {
  const isWeb = scheme === 'ws' || scheme === 'wss'
  const options = [
    `    hostname=${quoted(host)}, port=${port}, qos=1,`,
    `    auth={"username": "token", "password": ${quoted(key)}},`,
    ...(scheme === 'mqtts' || scheme === 'wss' ? ['    tls={},'] : []),
    ...(isWeb ? ['    transport="websockets",'] : [])
  ]
  // The helpers of paho use the path /mqtt for WebSocket, as this platform does.
  const note = isWeb && path !== '/mqtt' ? [`# the path must be ${quoted(path)}`] : []
  return [
    '# pip install paho-mqtt',
    ...note,
    'import json',
    listen === undefined
      ? 'import paho.mqtt.publish as publish'
      : 'from paho.mqtt import publish, subscribe',
    '',
    'publish.single(',
    `    ${quoted(topic)}, json.dumps({"value": 21.5}),`,
    ...options,
    ')',
    ...(listen === undefined
      ? []
      : [
          '',
          'def command(client, userdata, message):',
          '    print(message.topic, message.payload.decode())',
          '',
          'subscribe.callback(',
          `    command, ${quoted(listen)},`,
          ...options,
          ')'
        ])
  ].join('\n')
}

export function node({
  broker: { scheme, host, port, path },
  key,
  topic,
  listen
}: Sending): string {
  return [
    '// npm install mqtt, then: node device.mjs',
    "import mqtt from 'mqtt'",
    '',
    `const client = await mqtt.connectAsync(${quoted(`${scheme}://${nameIn(host)}:${port}${path}`)}, {`,
    `  username: 'token', password: ${quoted(key)}`,
    '})',
    ...(listen === undefined
      ? []
      : [
          "client.on('message', (topic, payload) => console.log(topic, payload.toString()))",
          `await client.subscribeAsync(${quoted(listen)}, { qos: 1 })`
        ]),
    `await client.publishAsync(${quoted(topic)}, JSON.stringify({ value: 21.5 }), { qos: 1 })`,
    ...(listen === undefined ? ['await client.endAsync()'] : [])
  ].join('\n')
}
