import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { ThreadCalls } from '../../src/lib/thread-calls.ts'
import { MINUTE, unixMs } from '../../src/lib/unix-time.ts'
import { routeTable } from '../../tools/pages.ts'
import type { Caller } from '../support/caller-thread.ts'
import { longestRound } from '../support/loop.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'

/** [ADR-0038] */
const MOST_MS = 20
/** More than the routes of the API answer with. */
const STATUSES = [200, 204, 400, 401, 403, 404, 408, 409, 413, 429, 500, 503]

const thread = new Worker(new URL('../support/caller-thread.ts', import.meta.url))
const caller = new ThreadCalls<Caller>(thread, { name: 'caller' })
after(() => caller.close())

let ahead = 0
let platform: TestPlatform
before(async () => {
  platform = await startTestPlatform({ clock: () => unixMs(Date.now() + ahead) })
})
after(() => platform.stop())

test(`a scrape with every route and status, and 20 000 files: nobody waits for more than ${MOST_MS} ms`, async (t) => {
  const { deps, world } = platform
  for (const { method, path } of await routeTable()) {
    for (const status of STATUSES) deps.metrics.answered(method, path, status, 0.01)
  }
  const { id: installation_id } = await world.installation()
  const file = { installation_id, organization_id: null, hash: 'x', mime: '', size: 1 }
  await deps.registry.insertInto('file_contents').values({ hash: 'x', look_at: null }).execute()
  for (let i = 0; i < 20_000; i += 100) {
    const rows = Array.from({ length: 100 }, (_, j) => ({
      ...file,
      name: `${i + j}`,
      created: 1,
      updated: 1
    }))
    await deps.registry.insertInto('files').values(rows).execute()
  }
  const headers = { 'x-api-key': world.admin.token }
  const call = { url: `${platform.url}/metrics`, method: 'GET', headers, body: new Uint8Array() }
  const longest = await longestRound(MOST_MS, async () => {
    ahead += 10 * MINUTE
    const { status } = await caller.call('send', [call])
    assert.equal(status, 200)
  })
  const { text } = await world.request('GET /metrics', { as: world.admin })
  const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  t.diagnostic(`${longest.toFixed(1)} ms, ${series.length} series`)
  assert(series.length > STATUSES.length * 100, `${series.length} series`)
  assert(longest < MOST_MS, `${longest} ms`)
})
