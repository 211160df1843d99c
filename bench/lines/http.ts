import { join } from 'node:path'
import { Caracal } from '../caracal.ts'
import { Child } from '../child.ts'
import type { LoadResult } from '../children/mqtt-load.ts'
import type { SampleForm, SampleLoad } from '../children/sample-load.ts'
import { median, whole } from '../figures.ts'
import type { Bench, Line, Row } from '../line.ts'
import { undisturbed } from '../quiet.ts'

const CONNECTIONS = 8
const BATCH = 1000
const TOPICS = 100
const GOAL_SAMPLES_PER_SECOND = 100_000
const DAY_MS = 86_400_000

const forms: readonly SampleForm[] = ['JSON', 'line protocol']

export const httpLine: Line = {
  name: 'http',
  about: 'values over HTTP in requests of 1 000, answered = stored',
  async run(bench) {
    const caracal = await Caracal.start(join(bench.workDir, 'http'), {
      CARACAL_QUOTA_INSTALLATION: 'messages_per_second=1000000',
      CARACAL_QUOTA_ORGANIZATION: 'messages_per_second=10000000'
    })
    const installations = await caracal.createInstallations(CONNECTIONS)
    const results = new Map<SampleForm, LoadResult[]>()
    const { rounds, warmMs, measureMs } = bench.sizes
    let [loads, acknowledged] = [0, 0]
    const stalls: number[] = []
    for (let round = 1; round <= rounds; round++) {
      for (const form of forms) {
        bench.say(`http, ${form}, round ${round} of ${rounds}`)
        const { result, tries } = await undisturbed(bench, async () => {
          // Each load has its own times, so that no value is there twice.
          const from = Date.now() - ++loads * DAY_MS
          await caracal.stallMs()
          const result = await apply(bench, caracal, {
            ...{ installations, form, from, warmMs, measureMs, batch: BATCH, topics: TOPICS }
          })
          stalls.push(await caracal.stallMs())
          await caracal.settle()
          return result
        })
        for (const each of tries) acknowledged += each.acknowledged
        results.set(form, [...(results.get(form) ?? []), result])
      }
    }
    const stored = await caracal.countSamples(installations)
    await caracal.stop()
    if (stored !== acknowledged) {
      throw new Error(`${acknowledged} were answered with 204 and ${stored} are stored`)
    }
    bench.note('http', { stored, stalls, results: Object.fromEntries(results) })
    return forms.map((form) => rowOf(form, results.get(form) ?? []))
  }
}

function rowOf(form: SampleForm, results: readonly LoadResult[]): Row {
  const perSecond = median(results.map((result) => result.perSecond))
  const hasGoal = form === 'JSON'
  return {
    line: 'http',
    what: `${form}, ${CONNECTIONS} connections, requests of ${whole(BATCH)}, ${TOPICS} topics each`,
    subject: `${whole(perSecond)} /s`,
    floor: '',
    ratio: undefined,
    goal: hasGoal ? `>= ${whole(GOAL_SAMPLES_PER_SECOND)} /s` : '',
    isMet: hasGoal ? perSecond >= GOAL_SAMPLES_PER_SECOND : undefined
  }
}

/** Runs one load in a separate process. */
async function apply(
  { say }: Bench,
  caracal: Caracal,
  load: Omit<SampleLoad, 'url' | 'serverPid' | 'token'>
): Promise<LoadResult> {
  const generator = new Child<SampleLoad, LoadResult>('sample-load')
  try {
    const token = await caracal.token()
    const result = await generator.ask({ url: caracal.url, serverPid: caracal.pid, token, ...load })
    say(`http, ${load.form}: ${whole(result.perSecond)} /s`)
    return result
  } finally {
    await generator.stop()
  }
}
