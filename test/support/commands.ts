import type { TestContext } from 'node:test'
import type { IPublishPacket } from 'mqtt'
import { startMosquitto } from './mosquitto.ts'
import { mqttClient, type TestClient } from './mqtt.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import type { Account } from './world.ts'

export type Bus = 'embedded' | 'external'
export type Properties = NonNullable<IPublishPacket['properties']>
export type Sent = { topic: string; payload: string; properties: Properties }
type Body = Record<string, unknown>

/**
 * A platform on one of the two buses, or the one that is given, an installation, somebody who
 * commands, and devices.
 */
export async function withCommands(
  t: TestContext,
  bus: Bus,
  { settings = {}, on }: { settings?: Record<string, string>; on?: TestPlatform | undefined } = {}
) {
  const mosquitto = bus === 'external' ? await startMosquitto(t) : undefined
  const busUrl = mosquitto && { CARACAL_BUS_URL: `mqtt://127.0.0.1:${mosquitto.port}` }
  const platform = on ?? (await startTestPlatform({ settings: { ...settings, ...busUrl } }))
  if (!on) t.after(() => platform.stop())
  const { world } = platform
  const { installation, user } = await world.site(['command/send/all', 'trace/list'])
  const { id, client_id } = installation
  /** Connected at the level of MQTT 5 or 3.1.1. */
  const connect = (level: 4 | 5 = 5, as: { token: string } = world.admin): Promise<TestClient> =>
    mosquitto
      ? mqttClient(t, mosquitto.port, { protocolVersion: level })
      : mqttClient(t, platform.mqttPort, {
          ...{ protocolVersion: level, username: 'token', password: as.token }
        })
  /** A device that answers what `answer` does with the command. */
  const device = async (
    answer: (sent: Sent, client: TestClient) => unknown,
    { level = 5, filter = 'set/#' }: { level?: 4 | 5; filter?: string } = {}
  ) => {
    const client = await connect(level)
    const got: Sent[] = []
    client.mqtt.on('message', (topic, payload, { properties = {} }) => {
      const sent = { topic, payload: payload.toString(), properties }
      got.push(sent)
      answer(sent, client)
    })
    await client.subscribe(`${client_id}/${filter}`)
    return { ...client, got }
  }
  const send = (body: Body, as: { token: string } = user) =>
    world.request(`POST /api/v2/command/${id}`, { as, body })
  const stored = async () => {
    await platform.deps.spool.settled()
    const query = 'from=0&to=4000000000&limit=1000'
    const { json } = await world.request(`GET /api/v3beta/log/${id}?${query}`, { as: world.admin })
    return (json as { data: { topic: string; value: number }[] }).data
  }
  const refused = async () => {
    const { json } = await world.request('GET /api/v2/ledger', { as: world.admin })
    return json as { topic: string }[]
  }
  const traced = async (as: Pick<Account, 'token'> = user) => {
    const { json } = await world.request(
      `GET /api/v2/trace?object_type=installation&object_id=${id}&action=execute,failed`,
      { as }
    )
    return (json as { data: { description: string; user_id: number; path: string }[] }).data
  }
  return {
    ...{ ...platform, mosquitto, id, client_id, user, installation, connect, device, send },
    ...{ stored, refused, traced }
  }
}

/** Answers as MQTT 5 asks: on the response topic, with the correlation data. */
export const answerBack = (
  { properties }: Sent,
  { mqtt }: TestClient,
  payload: string | Buffer,
  more: Properties = {}
): void => {
  const { responseTopic = '', correlationData } = properties
  mqtt.publish(responseTopic, payload, {
    qos: 1,
    properties: { ...(correlationData && { correlationData }), ...more }
  })
}
