import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startExecutor } from '../support/executor.ts'
import { hasMosquitto, startMosquitto } from '../support/mosquitto.ts'
import { mqttClient } from '../support/mqtt.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { SYSTEM_ACCOUNT } from './callers.ts'
import { runCampaign, SECRET } from './campaign.ts'
import { BROKER_KEY, makeTenant, pictureOf } from './tenant.ts'

/** Reads an order from the input, runs the campaign and writes the report to the output. */
export type Order = { registryUrl: string; seed: number; requests: number }
export type Report = Awaited<ReturnType<typeof carryOut>>

const closers: (() => unknown)[] = []
const order = JSON.parse(await text(process.stdin)) as Order
try {
  process.stdout.write(JSON.stringify(await carryOut(order)))
} finally {
  for (const close of closers.reverse()) await close()
}

async function carryOut({ seed, requests, registryUrl }: Order) {
  const executor = await startExecutor()
  closers.push(executor.stop)
  const { platform, brokerPort } = await start(registryUrl)
  await answerCommands(platform, brokerPort)
  const other = await makeTenant(platform, SECRET, executor.url)
  const before = await pictureOf(platform, other)
  const began = performance.now()
  const plan = { platform, executorUrl: executor.url, seed, requests, other }
  const outcome = await runCampaign(plan)
  const seconds = Math.round((performance.now() - began) / 1000)
  const after = await pictureOf(platform, other)
  const { status: health } = await platform.world.request('GET /health/ready')
  return { ...outcome, seconds, before, after, health, errors: errorsOf(platform) }
}

/** A device of every installation, which answers every command. */
async function answerCommands({ world, mqttPort }: TestPlatform, brokerPort?: number) {
  const after = (close: () => unknown) => closers.push(close)
  const { mqtt, subscribe } = await mqttClient({ after }, brokerPort ?? mqttPort, {
    ...{ protocolVersion: 5, username: 'token', password: world.admin.token }
  })
  mqtt.on('message', (_topic, _payload, { properties = {} }) => {
    const { responseTopic, correlationData } = properties
    if (!responseTopic || !correlationData) return
    mqtt.publish(responseTopic, '{"value":1}', { properties: { correlationData } })
  })
  await subscribe('#')
}

async function start(registryUrl: string) {
  const mosquitto = hasMosquitto
    ? await startMosquitto({ after: (close) => closers.push(close) })
    : undefined
  // The campaign does not test the disk.
  const parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const directory = mkdtempSync(join(parent, 'caracal-fuzz-'))
  closers.push(() => rmSync(directory, { recursive: true, force: true }))
  const platform = await startTestPlatform({
    registryUrl,
    settings: {
      CARACAL_DATA_DIR: directory,
      CARACAL_SYSTEM_ACCOUNTS: SYSTEM_ACCOUNT,
      CARACAL_NOTIFY_PRIVATE_NETWORKS: '127.0.0.1',
      CARACAL_TRUSTED_PROXIES: 'loopback',
      ...(mosquitto && {
        CARACAL_BUS_URL: `mqtt://caracal:password@127.0.0.1:${mosquitto.port}`,
        CARACAL_BROKER_KEY: BROKER_KEY
      })
    }
  })
  closers.push(platform.stop)
  return { platform, brokerPort: mosquitto?.port }
}

/** Lines of the log that say that something failed inside. */
function errorsOf({ logged }: TestPlatform): string[] {
  // As a broker, the campaign lets in client ids that Mosquitto itself refuses.
  const isKnown = (msg: unknown) => msg === 'MQTT connections could not be cut off'
  return logged
    .filter(({ level, msg }) => Number(level) >= 50 && !isKnown(msg))
    .map((line) => JSON.stringify(line))
}
