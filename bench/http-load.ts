import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import type { Caracal } from './caracal.ts'
import { childFile, end, freePort, launch, timeUntilReady } from './child.ts'
import { median } from './figures.ts'
import type { Bench } from './line.ts'
import { whenQuiet } from './quiet.ts'

export const CONNECTIONS = 16

/** Requests/s of a path, alternating with a bare Fastify route that answers the same body. */
export async function besideBare(
  bench: Bench,
  name: string,
  { caracal, path, body }: { caracal: Caracal; path: string; body: string }
): Promise<{ subject: number; floor: number }> {
  const bare = await startBare(bench, name, body)
  const headers = { 'x-api-key': await caracal.token() }
  const subject: HttpResult[] = []
  const floor: HttpResult[] = []
  const { rounds } = bench.sizes
  for (let round = 1; round <= rounds; round++) {
    bench.say(`${name}, round ${round} of ${rounds}: bare Fastify`)
    await whenQuiet(bench)
    floor.push(await request(bench, bare.url, headers))
    bench.say(`${name}, round ${round} of ${rounds}: Caracal`)
    await whenQuiet(bench)
    subject.push(await request(bench, caracal.url + path, headers))
  }
  await end(bare.child)
  bench.note(name, { bytes: body.length, connections: CONNECTIONS, subject, floor })
  return {
    subject: median(subject.map(({ perSecond }) => perSecond)),
    floor: median(floor.map(({ perSecond }) => perSecond))
  }
}

async function startBare(bench: Bench, name: string, body: string) {
  const file = join(bench.workDir, `${name}.json`)
  writeFileSync(file, body)
  const port = await freePort()
  const child = launch([childFile('bare-fastify'), String(port), name, file], { stdio: 'inherit' })
  const url = `http://127.0.0.1:${port}/`
  await timeUntilReady(url, child)
  const answer = await (await fetch(url)).text()
  if (!isDeepStrictEqual(JSON.parse(answer), JSON.parse(body)) || answer.length !== body.length)
    throw new Error('the floor answers another body')
  return { child, url }
}

type HttpResult = { perSecond: number; p99: number }

/** Runs autocannon in a separate process. */
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
