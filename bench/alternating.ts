import type { Caracal, Installation } from './caracal.ts'
import type { Load, LoadResult } from './children/mqtt-load.ts'
import { median, whole } from './figures.ts'
import type { Bench, Row } from './line.ts'
import { undisturbed } from './quiet.ts'
import { applyLoad, brokerOf } from './site.ts'

type Kind = { name: string } & Pick<Load, 'topics' | 'level'>
type Options = {
  line: string
  what: string
  caracal: Caracal
  installations: readonly Installation[]
  subject: Kind
  floor: Kind
  goalRatio: number
}

/** Two kinds of messages to one Caracal, in turn. Everything that was acknowledged must be stored. */
export async function measureInTurn(bench: Bench, options: Options): Promise<Row> {
  const { line, what, caracal, installations, goalRatio } = options
  const { rounds, warmMs, measureMs, inFlight } = bench.sizes
  const broker = await brokerOf(caracal)
  let acknowledged = 0
  const measure = async (round: number, { name, ...kind }: Kind) => {
    bench.say(`${line}, round ${round} of ${rounds}: ${name}`)
    const load = { ...kind, warmMs, measureMs, pace: { inFlight } }
    const { result, tries } = await undisturbed(bench, () => applyLoad(broker, load))
    for (const each of tries) acknowledged += each.acknowledged
    await caracal.settle()
    return result
  }
  const subject: LoadResult[] = []
  const floor: LoadResult[] = []
  for (let round = 1; round <= rounds; round++) {
    floor.push(await measure(round, options.floor))
    subject.push(await measure(round, options.subject))
  }
  const stored = await caracal.countSamples(installations)
  if (stored !== acknowledged) {
    throw new Error(`${acknowledged} were acknowledged and ${stored} are stored`)
  }
  bench.note(line, { inFlight, acknowledged, subject, floor })
  const [ours, bare] = [rateOf(subject), rateOf(floor)]
  return {
    line,
    what,
    subject: `${whole(ours)} msg/s`,
    floor: `${whole(bare)} msg/s`,
    ratio: ours / bare,
    goal: `ratio >= ${goalRatio}`,
    isMet: ours / bare >= goalRatio
  }
}

export const rateOf = (results: readonly LoadResult[]): number =>
  median(results.map((result) => result.perSecond))
