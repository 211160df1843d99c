import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { MAX_BYTES_TOGETHER, MAX_RULES } from '../../src/features/rule/rows.ts'
import { MAX_TRIED_SAMPLES } from '../../src/features/rule/trial.ts'
import { encodeSample } from '../../src/lib/sample.ts'
import { ThreadCalls } from '../../src/lib/thread-calls.ts'
import { SECOND, toSeconds, unixMs } from '../../src/lib/unix-time.ts'
import type { Caller } from '../support/caller-thread.ts'
import { longestRound } from '../support/loop.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { store } from '../support/samples.ts'

/** [ADR-0038] Whatever a caller requests, others wait no longer than this. */
const MOST_MS = 20
const BEGIN = Date.UTC(2026, 2, 1)

let platform: TestPlatform
const thread = new Worker(new URL('../support/caller-thread.ts', import.meta.url))
const caller = new ThreadCalls<Caller>(thread, { name: 'caller' })
before(async () => {
  platform = await startTestPlatform()
})
after(async () => {
  await caller.close()
  await platform.stop()
})

/** From a thread of its own, so that only the work of the platform is measured. */
async function send(line: string, body?: unknown): Promise<{ status: number; last: string }> {
  const [method = '', path = ''] = line.split(' ')
  const headers = { 'x-api-key': platform.world.admin.token }
  const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body))
  return caller.call('send', [{ url: platform.url + path, method, headers, body: bytes }])
}

const holds = (what: string, prepare: () => Promise<() => ReturnType<typeof send>>) =>
  test(`${what}: no other request waits for more than ${MOST_MS} ms`, async (t) => {
    const ask = await prepare()
    const longest = await longestRound(MOST_MS, async () => {
      const { status, last } = await ask()
      assert.equal(status, 200, last)
    })
    t.diagnostic(`${longest.toFixed(1)} ms`)
    assert(longest < MOST_MS, `${longest} ms`)
  })

holds('a trial of as many values as it may read', async () => {
  const { installation } = await platform.world.site(['#'])
  const { id, client_id } = installation
  // The last value also makes the topic known.
  const count = MAX_TRIED_SAMPLES + 1
  const timeOf = (i: number) => unixMs(BEGIN + i * SECOND)
  for (let at = 0; at < count - 1; at += 50_000) {
    const rows = Array.from({ length: Math.min(50_000, count - 1 - at) }, (_, i) =>
      encodeSample({
        ...{ id: at + i + 1, installation_id: id, client_id, topic: `${client_id}/obj/t` },
        ...{ timestamp: timeOf(at + i), value: (at + i) % 10_007, msg: '' }
      })
    )
    await platform.deps.history.append(Buffer.from(rows.join('')), `values from ${at}`)
  }
  await store(platform, installation, [{ topic: 'obj/t', timestamp: timeOf(count - 1) }])
  const rule = { on: { topics: ['obj/t'] }, when: { above: 10_000 }, for: '1s' }
  const tried = (last: number) =>
    send(`POST /api/v2/rule/${id}/try`, {
      ...{ rule, from: toSeconds(timeOf(0)), to: toSeconds(timeOf(last)) }
    })
  const more = await tried(count - 1)
  assert.deepEqual(
    [more.status, JSON.parse(more.last)],
    [
      400,
      {
        message: `from and to must be nearer to each other: there are more than ${MAX_TRIED_SAMPLES} values between them`
      }
    ]
  )
  return () => tried(count - 2)
})

/** Each with the longest message that fits its number. */
const sizes = [
  { alarms: 100_000, message: 'The freezer in the kitchen is too warm: 27.5' },
  { alarms: 20_000, message: 'x'.repeat(4096) }
]
for (const { alarms, message } of sizes) {
  holds(`${alarms} alarms with ${message.length} characters each`, async () => {
    const { installation } = await platform.world.site(['#'])
    for (let at = 0; at < alarms; at += 1000) {
      const rows = Array.from({ length: 1000 }, (_, i) => ({
        ...{ installation_id: installation.id, rule_id: 1, topic: `obj/${at + i}` },
        ...{ severity: 'warning' as const, raised_at: BEGIN + at + i, value: 27.5, message },
        ...{ acknowledged_at: null, acknowledged_by: null, note: '', is_told: 0 as const },
        cleared_at: i % 2 === 0 ? null : BEGIN + at + i
      }))
      await platform.deps.registry.insertInto('alarms').values(rows).execute()
    }
    return async () => {
      const one = await send(`GET /api/v2/alarm/${installation.id}?from=0&limit=100000`)
      assert.equal(one.status, 200, one.last)
      const last = `offset=${alarms - 10}&limit=10&state=cleared`
      assert.equal((await send(`GET /api/v2/alarm/${installation.id}?from=0&${last}`)).status, 200)
      return send('GET /api/v2/alarm?from=0&limit=100000')
    }
  })
}

holds('as many rules as an installation may have', async () => {
  const { installation } = await platform.world.site(['#'])
  const definition = {
    ...{ on: { topics: ['obj/t'] }, when: { above: 25 }, for: '', hysteresis: 0, schedule: null },
    message: ''
  }
  const room = Math.floor(MAX_BYTES_TOGETHER / MAX_RULES) - JSON.stringify(definition).length
  const long = JSON.stringify({ ...definition, message: 'x'.repeat(room) })
  for (let at = 0; at < MAX_RULES; at += 500) {
    const rows = Array.from({ length: 500 }, (_, i) => ({
      ...{ installation_id: installation.id, organization_id: null, name: `Rule ${at + i}` },
      ...{ active: 0 as const, severity: 'warning' as const, definition: long },
      ...{ created: BEGIN, updated: BEGIN }
    }))
    await platform.deps.registry.insertInto('rules').values(rows).execute()
  }
  return () => send(`GET /api/v2/rule/${installation.id}`)
})
