import assert from 'node:assert/strict'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { History } from '../../src/history/history.ts'
import { openHistory } from '../../src/history/open.ts'
import { fileIn } from '../../src/history/sqlite/file.ts'
import { openSqliteHistory } from '../../src/history/sqlite/history.ts'
import { HOUR, unixMs } from '../../src/lib/unix-time.ts'
import { openInOneThread } from '../support/one-thread-history.ts'
import { rounds, slow } from '../support/rounds.ts'
import { rowsText } from '../support/samples.ts'
import { strace, withoutStrace } from '../support/strace.ts'
import { listedPacks, packFiles, pageOf, rowTables } from '../support/whole-history.ts'

/** History that was written on 16 November 2026, with a table of rows for each month. */
const fixture = new URL('../fixtures/history-rows.sqlite.gz', import.meta.url)
const HOURS = 1500
const topics = ['1001/obj/jitter', '1001/obj/regular', '1001/obj/texts']

/** The rule by which its samples were made. */
function stored() {
  return Array.from({ length: HOURS }, (_, i) =>
    topics.map((topic, k) => ({
      client_id: 1001,
      installation_id: 1,
      timestamp:
        (Date.UTC(2026, 8, 25) + i * HOUR + (k === 0 ? ((i * 7919) % 401) - 200 : 0)) / 1000,
      value: k === 2 ? i % 3 : Math.round(2000 + 500 * Math.sin(i / 24)) / 100,
      msg: k === 2 && i % 10 === 0 ? `message ${i} é😀` : '',
      topic
    }))
  ).flat()
}

const expected = stored().sort((a, b) => a.timestamp - b.timestamp || (a.topic < b.topic ? -1 : 1))

function unpacked(t: TestContext): { dataDir: string; directory: string } {
  const dataDir = mkdtempSync(join(tmpdir(), 'fixture-'))
  t.after(() => rmSync(dataDir, { recursive: true }))
  const directory = join(dataDir, 'history/sqlite')
  mkdirSync(directory, { recursive: true })
  writeFileSync(fileIn(directory), gunzipSync(readFileSync(fixture)))
  return { dataDir, directory }
}

async function assertWhole(history: Pick<History, 'readPage'>): Promise<void> {
  const page = await history.readPage(pageOf(1))
  assert.equal(page.total, 3 * HOURS)
  assert.deepEqual(JSON.parse(`[${rowsText(page)}]`), expected)
}

test('history of an earlier layout is read', async (t) => {
  const { dataDir } = unpacked(t)
  const history = await openHistory({ url: '', dataDir })
  t.after(() => history.close())
  await assertWhole(history)
})

test(
  'history of an earlier layout is packed, and reads the same before, meanwhile and afterwards',
  slow,
  async (t) => {
    const { directory } = unpacked(t)
    const { size } = statSync(fileIn(directory))
    let history = await openSqliteHistory(directory)
    t.after(() => history.close())
    assert(rowTables(directory).some((name) => name.startsWith('samples_')))
    const before = await history.sizes()
    await assertWhole(history)
    let isPacking = true
    const packing = history.packAll().finally(() => {
      isPacking = false
    })
    while (isPacking) await assertWhole(history)
    await packing
    await assertWhole(history)
    assert.deepEqual(
      rowTables(directory).filter((name) => name.startsWith('samples_')),
      []
    )
    const after = await history.sizes()
    assert.deepEqual(
      after.months.map(({ name }) => name),
      before.months.map(({ name }) => name)
    )
    assert(after.bytes < before.bytes / 2, `${before.bytes} bytes became ${after.bytes}`)
    await history.close()
    assert(statSync(fileIn(directory)).size < size / 2, 'the file has shrunk')
    history = await openSqliteHistory(directory)
    await assertWhole(history)
  }
)

test('history of an earlier layout that is killed while it is packed is whole', {
  skip: slow.skip || withoutStrace
}, async (t) => {
  const { directory } = unpacked(t)
  const program = new URL('../support/packing.ts', import.meta.url).pathname
  const now = unixMs(Date.UTC(2027, 0))
  const calls = 'pwrite64,fsync,fdatasync,ftruncate,unlink,unlinkat'
  let kills = 0
  for (let n = 3; ; n += rounds(9, 40)) {
    const copy = join(directory, '..', `copy-${n}`)
    cpSync(directory, copy, { recursive: true })
    const inject = `inject=${calls}:signal=KILL:when=${n}`
    const options = ['-o', '/dev/null', '-e', `trace=${calls}`, '-e', inject]
    const { signal, stdout, stderr } = await strace(options, [program, copy, String(now), 'pack'])
    const history = await openInOneThread(copy, now)
    await assertWhole(history)
    await history.packAll()
    await assertWhole(history)
    await history.close()
    assert.deepEqual(packFiles(copy), listedPacks(copy))
    rmSync(copy, { recursive: true })
    assert.equal(signal, 'SIGKILL', stderr)
    if (stdout === 'done') break
    kills++
  }
  assert(kills > 3, `${kills} kills`)
})
