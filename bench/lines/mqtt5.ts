import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { measureInTurn } from '../alternating.ts'
import { Caracal } from '../caracal.ts'
import { Child } from '../child.ts'
import type { CrowdQuestion } from '../children/crowd.ts'
import type { Level } from '../children/mqtt-packets.ts'
import { whole } from '../figures.ts'
import type { Bench, Line, Row } from '../line.ts'
import { residentMemory } from '../machine.ts'
import { type Broker, brokerOf, topicsOf } from '../site.ts'
import { installations as installationCount } from '../sizes.ts'

const GOAL_RATIO = 0.9
const IDLE = 10_000
const GOAL_IDLE_BYTES = 20_000
/** Until the garbage of the sign-ins is collected. */
const SETTLE_MS = 10_000

export const mqtt5Line: Line = {
  name: 'mqtt5',
  about: 'ingest with MQTT 5 to MQTT 3.1.1, and memory of idle connections',
  async run(bench) {
    return [await ingest(bench), await idle(bench)]
  }
}

async function ingest(bench: Bench): Promise<Row> {
  const caracal = await Caracal.start(join(bench.workDir, 'mqtt5'))
  const installations = await caracal.createInstallations(installationCount)
  const topics = topicsOf(installations)
  const row = await measureInTurn(bench, {
    ...{ line: 'mqtt5', what: 'ingest with MQTT 5, to MQTT 3.1.1' },
    ...{ caracal, installations, goalRatio: GOAL_RATIO },
    subject: { name: 'MQTT 5', topics, level: 5 },
    floor: { name: 'MQTT 3.1.1', topics, level: 4 }
  })
  await caracal.stop()
  return row
}

async function idle(bench: Bench): Promise<Row> {
  bench.say(`mqtt5: ${whole(IDLE)} idle connections`)
  const caracal = await Caracal.start(join(bench.workDir, 'idle'), {
    CARACAL_MQTT_CONNECTIONS_PER_OWNER: String(2 * IDLE)
  })
  const aedes = new Child<object, number>('bare-aedes')
  const floor = { port: await aedes.ask({}), pid: aedes.pid, password: 'nobody asks' }
  const ours = await memoryOfIdle(await brokerOf(caracal), 5)
  const bare = await memoryOfIdle(floor, 4)
  await aedes.stop()
  await caracal.stop()
  bench.note('mqtt5, idle', { connections: IDLE, ours, bare })
  return {
    line: 'mqtt5',
    what: `resident memory of an idle connection, of ${whole(IDLE)}, to bare Aedes`,
    subject: `${whole(ours)} bytes`,
    floor: `${whole(bare)} bytes`,
    ratio: ours / bare,
    goal: `<= ${whole(GOAL_IDLE_BYTES)} bytes`,
    isMet: ours <= GOAL_IDLE_BYTES
  }
}

/** Some connections come first, so that what all share is in memory before. */
async function memoryOfIdle({ port, pid, password }: Broker, level: Level): Promise<number> {
  const crowd = new Child<CrowdQuestion, number>('crowd')
  const open = (count: number) => crowd.ask({ kind: 'open', port, password, count, level })
  await open(IDLE / 10)
  await wait(SETTLE_MS)
  const before = residentMemory(pid).now
  await open(IDLE)
  await wait(SETTLE_MS)
  const bytes = (residentMemory(pid).now - before) / IDLE
  await crowd.stop()
  return bytes
}
