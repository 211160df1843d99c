import { join } from 'node:path'
import { Caracal } from '../caracal.ts'
import type { LoadResult } from '../children/mqtt-load.ts'
import { median, ms, whole } from '../figures.ts'
import type { Line, Row } from '../line.ts'
import { whenQuiet } from '../quiet.ts'
import { applyLoad, brokerOf } from '../site.ts'

const GOAL_RATIO = 1.1
/** What one tenant publishes, evenly. */
const CLIENTS = 5
const PER_SECOND = 100
/** What the other one does at the same time, as fast as it is acknowledged. */
const FLOODING_CLIENTS = 200
const FLOOD_IN_FLIGHT = 50
/** Messages a second where the flood goes beyond its quota. */
const FLOOD_QUOTA = 100
/** The quota of messages would end the flood. */
const noQuota = 'messages_per_second=1000000000'

export const tenantsLine: Line = {
  name: 'tenants',
  about: 'time to the acknowledgement of one tenant beside the flood of another, to the same alone',
  async run(bench) {
    const caracal = await Caracal.start(join(bench.workDir, 'tenants'), {
      CARACAL_QUOTA_INSTALLATION: noQuota,
      CARACAL_QUOTA_ORGANIZATION: noQuota
    })
    const broker = await brokerOf(caracal)
    const [modest, flooding] = [
      await caracal.createTenant('modest'),
      await caracal.createTenant('flooding')
    ]
    const { rounds, warmMs, measureMs } = bench.sizes
    const publish = () =>
      applyLoad(
        { ...broker, password: modest.token },
        {
          topics: topicsOf(modest.installation.client_id, CLIENTS),
          ...{ warmMs, measureMs, pace: { perSecond: PER_SECOND } }
        }
      )
    const flood = () =>
      applyLoad(
        { ...broker, password: flooding.token },
        {
          topics: topicsOf(flooding.installation.client_id, FLOODING_CLIENTS),
          // Around all of the other load.
          warmMs: warmMs / 2,
          measureMs: warmMs + measureMs,
          pace: { inFlight: FLOOD_IN_FLIGHT }
        }
      )
    const measure = async (kind: string): Promise<Row[]> => {
      const alone: LoadResult[] = []
      const beside: LoadResult[] = []
      const floods: LoadResult[] = []
      for (let round = 1; round <= rounds; round++) {
        bench.say(`tenants, round ${round} of ${rounds}: alone`)
        await whenQuiet(bench)
        alone.push(await publish())
        bench.say(`tenants, round ${round} of ${rounds}: beside a flood ${kind} its quota`)
        await whenQuiet(bench)
        const [result, flooded] = await Promise.all([publish(), flood()])
        beside.push(result)
        floods.push(flooded)
        await caracal.settle()
      }
      bench.note(`tenants ${kind} quota`, { alone, beside, floods })
      const perSecond = median(floods.map((result) => result.perSecond))
      return (['p50', 'p99'] as const).map((name) => {
        const of = (results: readonly LoadResult[]) =>
          median(results.map(({ latency }) => latency?.[name] ?? Number.NaN))
        const ratio = of(beside) / of(alone)
        return {
          line: 'tenants',
          what: `${name} of the ack beside a flood ${kind} its quota, ${whole(perSecond)} msg/s, to alone`,
          subject: ms(of(beside)),
          floor: ms(of(alone)),
          ratio,
          goal: `ratio <= ${GOAL_RATIO}`,
          isMet: ratio <= GOAL_RATIO
        }
      })
    }
    const within = await measure('within')
    await caracal.request(`PUT /api/v2/installation/${flooding.installation.id}/quota`, {
      messages_per_second: FLOOD_QUOTA
    })
    // What the bucket holds is sent first.
    await flood()
    const beyond = await measure('beyond')
    await caracal.stop()
    return [...within, ...beyond]
  }
}

const topicsOf = (clientId: number, clients: number): string[][] =>
  Array.from({ length: clients }, (_, client) => [`${clientId}/obj/room_${client}/temperature`])
