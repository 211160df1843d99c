import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { definitionText } from '../../src/features/rule/rows.ts'
import type { RuleDefinition } from '../../src/lib/alarm/rule.ts'
import { openRegistry } from '../../src/registry/open.ts'
import { rateOf } from '../alternating.ts'
import { Caracal, type Installation } from '../caracal.ts'
import type { LoadResult } from '../children/mqtt-load.ts'
import { whole } from '../figures.ts'
import type { Bench, Line } from '../line.ts'
import { undisturbed } from '../quiet.ts'
import { applyLoad, brokerOf } from '../site.ts'
import { clients, installations as installationCount } from '../sizes.ts'

const GOAL_RATIO = 0.8
const RULES_PER_TOPIC = 2
const ROWS_PER_INSERT = 500

type Subject = { caracal: Caracal; installations: Installation[] }

/** One that waits for `for` to pass, and one that waits for silence. */
const rulesOn = (topic: string): RuleDefinition[] => {
  const plain = { on: { topics: [topic] }, hysteresis: 1, schedule: null, message: '' }
  return [
    { ...plain, when: { outside: [-1e6, 1e6] }, for: '10m' },
    { ...plain, when: { silent_for: '1h' }, for: '' }
  ]
}

export const alarmsLine: Line = {
  name: 'alarms',
  about: 'samples that rules watch, to samples without rules',
  async run(bench) {
    const { rounds, warmMs, measureMs, inFlight, rules } = bench.sizes
    const plain = await start(bench, 'alarms-without', 0)
    const ruled = await start(bench, 'alarms-with', rules)
    const loadOnce = async ({ caracal, installations }: Subject) => {
      const topics = topicsOf(installations, rules)
      const load = { topics, warmMs, measureMs, pace: { inFlight } }
      const broker = await brokerOf(caracal)
      const { result, tries } = await undisturbed(bench, () => applyLoad(broker, load))
      await caracal.settle()
      return { result, acknowledged: tries.reduce((sum, one) => sum + one.acknowledged, 0) }
    }
    const subject: LoadResult[] = []
    const floor: LoadResult[] = []
    let sent = 0
    for (let round = 1; round <= rounds; round++) {
      bench.say(`alarms, round ${round} of ${rounds}: without rules`)
      floor.push((await loadOnce(plain)).result)
      bench.say(`alarms, round ${round} of ${rounds}: with ${rules} rules`)
      const { result, acknowledged } = await loadOnce(ruled)
      subject.push(result)
      sent += acknowledged
      await judged(ruled.caracal, sent)
    }
    const watches = await ruled.caracal.metric('caracal_alarm_watches')
    await plain.caracal.stop()
    await ruled.caracal.stop()
    bench.note('alarms', { inFlight, rules, sent, watches, subject, floor })
    const [ours, bare] = [rateOf(subject), rateOf(floor)]
    return [
      {
        line: 'alarms',
        what: `${whole(rules)} rules on ${whole(rules / RULES_PER_TOPIC)} topics, to none`,
        subject: `${whole(ours)} msg/s`,
        floor: `${whole(bare)} msg/s`,
        ratio: ours / bare,
        goal: `ratio >= ${GOAL_RATIO}`,
        isMet: ours / bare >= GOAL_RATIO
      }
    ]
  }
}

/** The topics of each client. Together all topics with rules, whether there are rules or not. */
const topicsOf = (installations: readonly Installation[], rules: number): string[][] =>
  Array.from({ length: clients }, (_, client) => {
    const { client_id = 0 } = installations[client % installations.length] ?? {}
    const count = Math.ceil(rules / RULES_PER_TOPIC / clients)
    return Array.from({ length: count }, (_, i) => `${client_id}/obj/room_${client}/sensor_${i}`)
  })

/** Rules are written to the registry while the program does not run. It would take long over HTTP. */
async function start(bench: Bench, name: string, rules: number): Promise<Subject> {
  const dataDir = join(bench.workDir, name)
  const first = await Caracal.start(dataDir, QUOTA)
  const installations = await first.createInstallations(installationCount)
  if (rules === 0) return { caracal: first, installations }
  await first.stop()
  const registry = await openRegistry({ url: '', dataDir })
  const idOf = new Map(installations.map(({ id, client_id }) => [String(client_id), id]))
  const rows = topicsOf(installations, rules)
    .flat()
    .flatMap((topic) => {
      const [clientId = '', ...levels] = topic.split('/')
      return rulesOn(levels.join('/')).map((definition, i) => ({
        ...{ installation_id: idOf.get(clientId) ?? 0, organization_id: null, active: 1 as const },
        ...{ name: `rule ${i}`, severity: 'warning' as const, created: 0, updated: 0 },
        definition: definitionText(definition)
      }))
    })
  for (let from = 0; from < rows.length; from += ROWS_PER_INSERT) {
    await registry
      .insertInto('rules')
      .values(rows.slice(from, from + ROWS_PER_INSERT))
      .execute()
  }
  await registry.destroy()
  return { caracal: await Caracal.start(dataDir, QUOTA), installations }
}

/** More topics than an installation may have by default. */
const QUOTA = { CARACAL_QUOTA_INSTALLATION: 'messages_per_second=1000000,topics=100000' }

/** Rules have seen every sample. */
async function judged(caracal: Caracal, samples: number): Promise<void> {
  for (let left = 300; left > 0; left--) {
    const seen = await caracal.metric('caracal_alarm_samples_total')
    if (seen === samples) return
    if (seen > samples) throw new Error(`${samples} samples were sent and ${seen} judged`)
    await wait(200)
  }
  throw new Error('the rules do not see all samples')
}
