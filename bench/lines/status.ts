import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Caracal } from '../caracal.ts'
import { childFile, end, freePort, launch, timeUntilReady } from '../child.ts'
import { median, whole } from '../figures.ts'
import type { Bench, Line } from '../line.ts'
import { whenQuiet } from '../quiet.ts'
import { applyLoad, brokerOf } from '../site.ts'

const TOPICS = 40
const CONNECTIONS = 16
const GOAL_RATIO = 0.5

export const statusLine: Line = {
  name: 'status',
  about: 'requests/s of the status of 40 topics, to a bare Fastify route with the same body',
  async run(bench) {
    const caracal = await Caracal.start(join(bench.workDir, 'status'))
    const path = await publishTopics(caracal)
    const body = await caracal.request(`GET ${path}`)
    if (JSON.parse(body).length !== TOPICS) throw new Error(`status is not of ${TOPICS} topics`)
    const bare = await startBare(bench, body)
    const headers = { 'x-api-key': await caracal.token() }
    const subject: HttpResult[] = []
    const floor: HttpResult[] = []
    const { rounds } = bench.sizes
    for (let round = 1; round <= rounds; round++) {
      bench.say(`status, round ${round} of ${rounds}: bare Fastify`)
      await whenQuiet(bench)
      floor.push(await request(bench, bare.url, headers))
      bench.say(`status, round ${round} of ${rounds}: Caracal`)
      await whenQuiet(bench)
      subject.push(await request(bench, caracal.url + path, headers))
    }
    await end(bare.child)
    await caracal.stop()
    bench.note('status', { bytes: body.length, connections: CONNECTIONS, subject, floor })
    const rate = {
      subject: median(subject.map(({ perSecond }) => perSecond)),
      floor: median(floor.map(({ perSecond }) => perSecond))
    }
    const ratio = rate.subject / rate.floor
    return [
      {
        line: 'status',
        what: `40 topics, ${whole(body.length)} bytes, ${CONNECTIONS} connections`,
        subject: `${whole(rate.subject)} req/s`,
        floor: `${whole(rate.floor)} req/s`,
        ratio,
        goal: `ratio >= ${GOAL_RATIO}`,
        isMet: ratio >= GOAL_RATIO
      }
    ]
  }
}

/** Every topic of one installation gets a few values; answers where its status is. */
async function publishTopics(caracal: Caracal): Promise<string> {
  const [installation] = await caracal.createInstallations(1)
  if (!installation) throw new Error('no installation')
  const { id, client_id } = installation
  const topics = Array.from({ length: TOPICS }, (_, i) => `${client_id}/obj/room_${i}/temperature`)
  const broker = await brokerOf(caracal)
  await applyLoad(broker, { topics: [topics], warmMs: 0, measureMs: 200, pace: { inFlight: 40 } })
  await caracal.settle()
  return `/api/v2/status/${id}`
}

async function startBare(bench: Bench, body: string) {
  const file = join(bench.workDir, 'status.json')
  writeFileSync(file, body)
  const port = await freePort()
  const child = launch([childFile('bare-fastify'), String(port), file], { stdio: 'inherit' })
  const url = `http://127.0.0.1:${port}/`
  await timeUntilReady(url, child)
  if ((await (await fetch(url)).text()) !== body) throw new Error('the floor answers another body')
  return { child, url }
}

type HttpResult = { perSecond: number; p99: number }

/** autocannon in a process of its own. */
async function request(
  { sizes }: Bench,
  url: string,
  headers: Record<string, string>
): Promise<HttpResult> {
  const seconds = (time: number) => String(Math.ceil(time / 1000))
  const connections = ['-c', String(CONNECTIONS)]
  const { stdout } = await promisify(execFile)(process.execPath, [
    createRequire(import.meta.url).resolve('autocannon'),
    '--json',
    ...['--warmup', '[', ...connections, '-d', seconds(sizes.warmMs), ']'],
    ...[...connections, '-d', seconds(sizes.measureMs)],
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]),
    url
  ])
  const result = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`not all answers of ${url} were 200`)
  return { perSecond: result.requests.average, p99: result.latency.p99 }
}
