import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openHistory } from '../../src/history/open.ts'
import { encodeSample } from '../../src/lib/sample.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { FrameWriter } from '../../src/site/frames.ts'
import { eventually } from '../support/eventually.ts'
import { startCaracal, temporaryDirectory } from '../support/process.ts'
import { rounds } from '../support/rounds.ts'
import { command, imported } from '../support/site.ts'
import { device, head, site } from '../support/site-file.ts'

const root = new URL('../..', import.meta.url).pathname
const OBJECTS = 1500
const SAMPLES = rounds(400_000, 100_000)
/** Shares of the time that a whole import takes. */
const MOMENTS = [0.2, 0.35, 0.5, 0.65, 0.8, 0.95]
const MOST_ROUNDS = 2 * MOMENTS.length

async function writeLargeSite(path: string): Promise<void> {
  const writer = await FrameWriter.open(path)
  const content = Buffer.alloc(1024 * 1024, 'content of a file ')
  const hash = createHash('sha256').update(content).digest('hex')
  const file = { id: 1, hash, name: 'n', mime: 'text/plain', size: content.length }
  const objects = Array.from({ length: OBJECTS }, (_, i) => device(i + 1, { name: `d${i}` }))
  const lines = [head, site, ...objects, ['file', { ...file, created: 1, updated: 1 }]]
  const text = (list: readonly unknown[]) =>
    Buffer.from(list.map((one) => `${JSON.stringify(one)}\n`).join(''))
  await writer.write('record', text(lines))
  for (let from = 0; from < SAMPLES; from += 10_000) {
    const rows = Array.from({ length: 10_000 }, (_, i) =>
      encodeSample({
        ...{ id: from + i + 1, installation_id: 7, client_id: 1007, msg: '' },
        ...{ topic: `1007/obj/${i % 50}`, timestamp: unixMs(1.7e12 + from + i), value: i }
      })
    )
    await writer.write('sample', Buffer.from(rows.join('')))
  }
  await writer.write('record', text([['content', { hash, size: content.length }]]))
  await writer.write('content', content)
  const counts = { head: 1, installation: 1, device: OBJECTS, file: 1, content: 1 }
  await writer.end({ ...counts, sample: SAMPLES })
  await writer.close()
}

/**
 * Waits until the registry has whole installations only, and answers how many: these, or one more
 * if the kill came after the import was done and before anybody could say so.
 */
const registryHas = (dataDir: string, installations: number): Promise<number> =>
  eventually(() => {
    const registry = new DatabaseSync(join(dataDir, 'registry.sqlite'), { readOnly: true })
    const count = (table: string) =>
      Number(registry.prepare(`select count(*) as n from ${table}`).get()?.['n'])
    const found = ['erasures', 'installations', 'modelx', 'files'].map(count)
    // No content waits for a file for ever.
    const unseen = registry
      .prepare(
        `select count(*) as n from file_contents where look_at is null
          and hash not in (select hash from files)`
      )
      .get()
    registry.close()
    const whole = found[1] === installations + 1 ? installations + 1 : installations
    assert.deepEqual(found, [0, whole, whole * OBJECTS, whole])
    assert.equal(unseen?.['n'], 0)
    return whole
  }, 60_000)

async function historyHas(dataDir: string, installations: number): Promise<void> {
  const history = await openHistory({ url: '', dataDir })
  const owners = new Set<number>()
  let samples = 0
  for (const { name } of (await history.sizes()).months) {
    for await (const { count } of history.readMonth(name)) samples += count
  }
  for await (const part of history.latest()) {
    for (const { installation_id } of part) owners.add(installation_id)
  }
  await history.close()
  assert.deepEqual([owners.size, samples], [installations, installations * SAMPLES])
}

test('an import that is killed at any moment leaves nothing behind', async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const env = { CARACAL_DATA_DIR }
  const file = join(temporaryDirectory(), 'site')
  await writeLargeSite(file)
  let caracal = await startCaracal(env)
  const began = performance.now()
  await imported(env, file)
  let took = performance.now() - began
  assert.equal(await registryHas(CARACAL_DATA_DIR, 1), 1)
  let [there, killed] = [1, 0]
  for (let round = 0; round < MOMENTS.length || (killed < 2 && round < MOST_ROUNDS); round++) {
    const moment = MOMENTS[round % MOMENTS.length] ?? 0
    const importing = command(env, ['import', file])
    await wait(took * moment)
    await caracal.kill('SIGKILL')
    const { code, json } = await importing
    // The last moments may come too late: then all of it must be there.
    const isDone = code === 0
    if (!isDone) assert.match(json.error, /ended before the work was done|did not answer/)
    // The first import took longer, because the machine had other work.
    else took *= moment
    caracal = await startCaracal(env)
    const whole = await registryHas(CARACAL_DATA_DIR, there)
    assert(!isDone || whole === there + 1)
    if (whole === there) killed++
    there = whole
  }
  assert(killed >= 2, `killed ${killed} times in time`)
  await caracal.kill('SIGTERM')
  await historyHas(CARACAL_DATA_DIR, there)
})

test('the same holds for a stopped platform', async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const env = { CARACAL_DATA_DIR }
  const file = join(temporaryDirectory(), 'site')
  await writeLargeSite(file)
  let caracal = await startCaracal(env)
  await caracal.kill('SIGTERM')
  const importer = () =>
    spawn(process.execPath, ['caracal.js', 'import', file], { cwd: root, env, stdio: 'ignore' })
  const began = performance.now()
  const [code] = await once(importer(), 'exit')
  assert.equal(code, 0)
  const took = performance.now() - began
  let there = 1
  for (const moment of [0.5, 0.7, 0.85]) {
    const child = importer()
    const exited = once(child, 'exit')
    await wait(took * moment)
    child.kill('SIGKILL')
    const [, signal] = await exited
    caracal = await startCaracal(env)
    const whole = await registryHas(CARACAL_DATA_DIR, there)
    assert(signal === 'SIGKILL' || whole === there + 1)
    there = whole
    await caracal.kill('SIGTERM')
  }
  await historyHas(CARACAL_DATA_DIR, there)
})
