import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Caracal } from '../caracal.ts'
import { Child } from '../child.ts'
import type { Load, LoadResult } from '../children/mqtt-load.ts'
import { connectPacket } from '../children/mqtt-packets.ts'
import { median, ms, whole } from '../figures.ts'
import type { Line, Row } from '../line.ts'
import { undisturbed } from '../quiet.ts'
import { applyLoad, type Broker, brokerOf } from '../site.ts'

/**
 * Of the mean and the median. The slowest ones wait for the cores as well, whoever takes the flood: the
 * control shows how long.
 */
const GOAL_RATIO = 1.1
/** One tenant publishes evenly. */
const CLIENTS = 5
const PER_SECOND = 100
/** What the other tenant does at the same time, as fast as it is acknowledged. */
const FLOODING_CLIENTS = 200
const FLOOD_IN_FLIGHT = 50
/** The quota in messages per second, if the flood exceeds it. */
const FLOOD_QUOTA_PER_SECOND = 100
/**
 * Rounds are shorter and more than those of other lines. A virtual machine stands still for some
 * hundredths of a second now and then, and then the p99 of a round says nothing else.
 */
const MORE_ROUNDS = 4

type Measured = { perSecond: number; rows: (what: string) => Row[] }

export const tenantsLine: Line = {
  name: 'tenants',
  about: 'time to the acknowledgement of one tenant beside the flood of another, to the same alone',
  async run(bench) {
    // The quota of the organization is the one by default.
    const caracal = await Caracal.start(join(bench.workDir, 'tenants'))
    const aedes = new Child<object, number>('bare-aedes')
    const broker = await brokerOf(caracal)
    const bare = { port: await aedes.ask({}), pid: aedes.pid, password: 'nobody asks' }
    const [modest, flooding] = [
      await caracal.createTenant('modest'),
      await caracal.createTenant('flooding')
    ]
    // Connected all the time: a tenant alone has no pace, and the two loads do not end together.
    const resting = connect(broker.port, '127.0.0.1')
    resting.write(connectPacket('resting', { username: 'bench', password: modest.token, level: 4 }))
    await once(resting, 'data')
    const rounds = bench.sizes.rounds * MORE_ROUNDS
    const [warmMs, measureMs] = [bench.sizes.warmMs / MORE_ROUNDS, bench.sizes.measureMs / 2]
    const publish = () =>
      applyLoad(
        { ...broker, password: modest.token },
        {
          topics: topicsOf(modest.installation.client_id, CLIENTS),
          ...{ warmMs, measureMs, pace: { perSecond: PER_SECOND } }
        }
      )
    const flood = (to: Broker, pace: Load['pace']) =>
      applyLoad(to, {
        topics: topicsOf(flooding.installation.client_id, FLOODING_CLIENTS),
        // Around all of the other load.
        ...{ warmMs: warmMs / 2, measureMs: warmMs + measureMs, pace }
      })
    const floodCaracal = () =>
      flood({ ...broker, password: flooding.token }, { inFlight: FLOOD_IN_FLIGHT })

    const measure = async (
      kind: string,
      start: () => Promise<LoadResult>,
      isElsewhere = false
    ): Promise<Measured> => {
      const alone: LoadResult[] = []
      const beside: LoadResult[] = []
      const floods: LoadResult[] = []
      for (let round = 1; round <= rounds; round++) {
        bench.say(`tenants, round ${round} of ${rounds}: alone`)
        alone.push((await undisturbed(bench, publish)).result)
        bench.say(`tenants, round ${round} of ${rounds}: beside a flood ${kind}`)
        const both = await undisturbed(bench, async () => {
          const [ack, flood] = await Promise.all([publish(), start()])
          await caracal.settle()
          // The flood is no other program, nor is what takes it.
          const ours = flood.cores.load + (isElsewhere ? flood.cores.server : 0)
          return { ...ack, cores: { ...ack.cores, others: ack.cores.others - ours }, flood }
        })
        beside.push(both.result)
        floods.push(both.result.flood)
      }
      bench.note(`tenants ${kind}`, { alone, beside, floods })
      const rows = (what: string) =>
        (['mean', 'p50', 'p99'] as const).map((name) => {
          const of = (results: readonly LoadResult[]) =>
            median(results.map(({ latency }) => latency?.[name] ?? Number.NaN))
          const ratio = of(beside) / of(alone)
          const hasGoal = name !== 'p99'
          return {
            ...{ line: 'tenants', what: `${name} of the ack beside a flood ${what}, to alone` },
            ...{ subject: ms(of(beside)), floor: ms(of(alone)), ratio },
            goal: hasGoal ? `ratio <= ${GOAL_RATIO}` : '',
            isMet: hasGoal ? ratio <= GOAL_RATIO : undefined
          }
        })
      return { perSecond: median(floods.map((result) => result.perSecond)), rows }
    }

    // What two cores do to each other, whoever takes the flood.
    const controlOf = async ({ perSecond }: Measured): Promise<Row[]> => {
      const control = await measure('at bare Aedes', () => flood(bare, { perSecond }), true)
      return control
        .rows(`of ${whole(control.perSecond)} msg/s that bare Aedes takes`)
        .map((row) => ({ ...row, goal: '', isMet: undefined }))
    }

    const within = await measure('within its quota', floodCaracal)
    const besideWithin = await controlOf(within)
    await caracal.request(`PUT /api/v2/installation/${flooding.installation.id}/quota`, {
      messages_per_second: FLOOD_QUOTA_PER_SECOND
    })
    // The messages that the bucket allows at once are sent first.
    await floodCaracal()
    const beyond = await measure('beyond its quota', floodCaracal)
    const besideBeyond = await controlOf(beyond)
    resting.destroy()
    await caracal.stop()
    await aedes.stop()
    return [
      ...within.rows(`within its quota, ${whole(within.perSecond)} msg/s`),
      ...besideWithin,
      ...beyond.rows(`beyond its quota, ${whole(beyond.perSecond)} msg/s`),
      ...besideBeyond
    ]
  }
}

const topicsOf = (clientId: number, clients: number): string[][] =>
  Array.from({ length: clients }, (_, client) => [`${clientId}/obj/room_${client}/temperature`])
