import { join } from 'node:path'
import { Caracal } from '../caracal.ts'
import type { LoadResult } from '../children/mqtt-load.ts'
import { median, whole } from '../figures.ts'
import type { Line } from '../line.ts'
import { undisturbed } from '../quiet.ts'
import { applyLoad, brokerOf, topicsOf } from '../site.ts'
import { installations as installationCount } from '../sizes.ts'

const GOAL_RATIO = 0.8

/** The same payload as the plain samples, so that only the mapping is more work. */
const mapping = {
  filter: 'dev/#',
  values: [{ path: 'value', topic: 'obj/{2}/{3}', timestamp: { path: 'timestamp', format: 's' } }]
}

export const mappingLine: Line = {
  name: 'mapping',
  about: 'messages that a mapping makes samples of, to plain samples',
  async run(bench) {
    const { rounds, warmMs, measureMs, inFlight } = bench.sizes
    const caracal = await Caracal.start(join(bench.workDir, 'mapping'))
    const installations = await caracal.createInstallations(installationCount)
    for (const { id } of installations) await caracal.request(`POST /api/v2/mapping/${id}`, mapping)
    const broker = await brokerOf(caracal)
    const plain = topicsOf(installations)
    const mapped = plain.map((topics) => topics.map((topic) => topic.replace('/obj/', '/dev/')))
    let acknowledged = 0
    const loadOnce = async (topics: string[][]) => {
      const load = { topics, warmMs, measureMs, pace: { inFlight } }
      const { result, tries } = await undisturbed(bench, () => applyLoad(broker, load))
      for (const each of tries) acknowledged += each.acknowledged
      await caracal.settle()
      return result
    }
    const subject: LoadResult[] = []
    const floor: LoadResult[] = []
    for (let round = 1; round <= rounds; round++) {
      bench.say(`mapping, round ${round} of ${rounds}: plain samples`)
      floor.push(await loadOnce(plain))
      bench.say(`mapping, round ${round} of ${rounds}: mapped messages`)
      subject.push(await loadOnce(mapped))
    }
    const stored = await caracal.countSamples(installations)
    if (stored !== acknowledged) {
      throw new Error(`${acknowledged} were acknowledged and ${stored} are stored`)
    }
    await caracal.stop()
    bench.note('mapping', { inFlight, acknowledged, subject, floor })
    const [ours, bare] = [rateOf(subject), rateOf(floor)]
    return [
      {
        line: 'mapping',
        what: 'one value of each message, to plain samples',
        subject: `${whole(ours)} msg/s`,
        floor: `${whole(bare)} msg/s`,
        ratio: ours / bare,
        goal: `ratio >= ${GOAL_RATIO}`,
        isMet: ours / bare >= GOAL_RATIO
      }
    ]
  }
}

const rateOf = (results: readonly LoadResult[]) => median(results.map((result) => result.perSecond))
