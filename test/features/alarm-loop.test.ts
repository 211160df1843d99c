import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { SECOND, unixMs } from '../../src/lib/unix-time.ts'
import { ATTEMPTS, longestRound } from '../support/loop.ts'
import { temporary } from '../support/spool.ts'
import { WatchedSite } from '../support/watcher.ts'

/** Whatever rules do, others wait no longer than this. */
const MOST_MS = 20
const SENSORS = 10_000

test(`${SENSORS} sensors that fall silent at once hold up nobody`, async (t) => {
  let best: number[] = []
  for (const _attempt of ATTEMPTS) {
    const rounds = await fallSilent(t)
    best = rounds.map((ms, i) => Math.min(ms, best[i] ?? ms))
    if (Math.max(...best) < MOST_MS) break
  }
  const [judged, silent, back, stored] = best
  t.diagnostic(`judged ${judged} ms, silent ${silent} ms, back ${back} ms, stored ${stored} ms`)
  assert(Math.max(...best) < MOST_MS, best.join())
})

/** The longest round of the event loop in each step. */
async function fallSilent(t: TestContext): Promise<number[]> {
  const site = await WatchedSite.open(t, temporary(t), Date.UTC(2026, 4, 4))
  const home = await site.installation()
  await site.rule(
    { kind: 'installation', id: home.id },
    { on: { topics: ['obj/#'] }, when: { silent_for: '1m' }, message: '{{.payload.topic}}' }
  )
  const sendAll = () =>
    Promise.all(
      Array.from({ length: SENSORS }, (_, i) => site.send(home, `obj/s${i}`, { value: i }))
    )
  const longest = () => longestRound(Number.POSITIVE_INFINITY, () => site.judge())
  await sendAll()
  const judged = await longest()
  await site.wait(59 * SECOND)
  site.now = unixMs(site.now + 2 * SECOND)
  const silent = await longest()
  assert.equal((await site.alarms()).length, SENSORS)
  await sendAll()
  const back = await longest()
  assert((await site.alarms()).every(({ cleared_at }) => cleared_at === site.now))
  await sendAll()
  await site.judge()
  site.now = unixMs(site.now + 6 * SECOND)
  const stored = await longest()
  return [judged, silent, back, stored]
}
