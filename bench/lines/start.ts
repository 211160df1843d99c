import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Caracal } from '../caracal.ts'
import { childFile, end, freePort, launch, timeUntilReady } from '../child.ts'
import { median, ms, whole } from '../figures.ts'
import type { Bench, Line, Row } from '../line.ts'
import { whenQuiet } from '../quiet.ts'
import { applyLoad, brokerOf, topicsOf } from '../site.ts'
import { copyOf, filledStore } from '../store.ts'

const GOAL_MS = 3000

export const startLine: Line = {
  name: 'start',
  about: 'from the start of the process to ready, to a bare Fastify server',
  async run(bench) {
    const store = await filledStore(bench, { times: bench.sizes.startTimes })
    bench.say('start: copying the store, which will be killed')
    const filled = await copyOf(store.dataDir, join(bench.workDir, 'start'))
    const times = { bare: [], first: [], empty: [], stored: [], killed: [] } as Record<
      'bare' | 'first' | 'empty' | 'stored' | 'killed',
      number[]
    >
    const waiting: number[] = []
    for (let round = 1; round <= bench.sizes.starts; round++) {
      const say = (what: string) =>
        bench.say(`start, round ${round} of ${bench.sizes.starts}: ${what}`)
      await whenQuiet(bench)
      say('bare Fastify')
      times.bare.push(await startBare())
      say('empty')
      times.first.push(await startEmpty(bench, `first-${round}`, { isFirst: true }))
      times.empty.push(await startEmpty(bench, `empty-${round}`, { isFirst: false }))
      say('with the store')
      times.stored.push(await startAndKill(bench, filled, store.installations))
      say('after kill -9')
      const caracal = await Caracal.start(filled)
      times.killed.push(caracal.readyMs)
      waiting.push(await caracal.spooled())
      await caracal.settle()
      await caracal.stop()
    }
    const size = `${whole(store.samples / 1e6)} M samples`
    bench.note('start', { samples: store.samples, waiting, times })
    const floor = median(times.bare)
    const row = (what: string, all: number[]): Row => ({
      line: 'start',
      what,
      subject: ms(median(all)),
      floor: ms(floor),
      ratio: median(all) / floor,
      goal: `< ${whole(GOAL_MS)} ms`,
      isMet: median(all) < GOAL_MS
    })
    return [
      row('empty directory', times.empty),
      row('the same, nothing compiled before', times.first),
      row(size, times.stored),
      row(`${size}, after kill -9 under load`, times.killed)
    ]
  }
}

async function startBare(): Promise<number> {
  const port = await freePort()
  const since = performance.now()
  const child = launch([childFile('bare-fastify'), String(port)], { stdio: 'inherit' })
  const time = await timeUntilReady(`http://127.0.0.1:${port}/`, child, since)
  await end(child)
  return time
}

/** `isFirst`: as after the installation of the program, without stored compiled code. */
async function startEmpty(
  { workDir }: Bench,
  name: string,
  { isFirst }: { isFirst: boolean }
): Promise<number> {
  const compiled = join(workDir, `${name}-compiled`)
  if (isFirst) mkdirSync(compiled)
  const env: Record<string, string> = isFirst ? { NODE_COMPILE_CACHE: compiled } : {}
  const caracal = await Caracal.start(join(workDir, name), env)
  await caracal.stop()
  return caracal.readyMs
}

async function startAndKill(
  { sizes }: Bench,
  dataDir: string,
  installations: Parameters<typeof topicsOf>[0]
): Promise<number> {
  const caracal = await Caracal.start(dataDir)
  const broker = await brokerOf(caracal)
  const topics = topicsOf(installations)
  const pace = { inFlight: sizes.inFlight }
  const load = applyLoad(broker, { topics, warmMs: 0, measureMs: 60_000, pace })
  // The connection ends with the server.
  const ended = load.then(
    () => {},
    () => {}
  )
  await new Promise((resolve) => setTimeout(resolve, sizes.warmMs))
  await caracal.stop('SIGKILL')
  await ended
  return caracal.readyMs
}
