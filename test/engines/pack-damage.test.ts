import assert from 'node:assert/strict'
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { BEGIN } from '../../src/history/month-read.ts'
import { openSqliteFile, packsIn } from '../../src/history/sqlite/file.ts'
import { openSqliteHistory, type SqliteHistory } from '../../src/history/sqlite/history.ts'
import { PackFiles } from '../../src/history/sqlite/pack-files.ts'
import { SqliteReader } from '../../src/history/sqlite/reader.ts'
import { SqliteScanner } from '../../src/history/sqlite/scanner.ts'
import type { Sample } from '../../src/lib/sample.ts'
import { DAY, HOUR, MINUTE, unixMs } from '../../src/lib/unix-time.ts'
import { damageFrame } from '../support/damaged-frame.ts'
import { rounds, slow } from '../support/rounds.ts'
import { rowsText } from '../support/samples.ts'
import {
  assertStored,
  everySample,
  listedPacks,
  pageOf,
  rowsFrom,
  sampleAt
} from '../support/whole-history.ts'

const now = unixMs(Date.UTC(2026, 10, 17))
const september = Date.UTC(2026, 8, 5)
const october = unixMs(Date.UTC(2026, 9, 1))
const MAGIC_BYTES = 8
/** More topics than a page of the index has entries. */
const SMALL_TOPICS = 150

const prepared = mkdtempSync(join(tmpdir(), 'damage-'))
let stored: Sample[]
/** The packed file of September. */
let name: string
before(async () => {
  const history = await openSqliteHistory(prepared, { clock: () => now })
  const series = (start: number, fields: Partial<Sample>, texts = false, step = 5 * MINUTE) =>
    Array.from({ length: 200 }, (_, i) =>
      sampleAt(start + i * step + ((i * 7919) % 1000), {
        ...fields,
        value: Math.round(1000 * Math.sin(i / 20)) / 10,
        msg: texts && i % 3 === 0 ? `message ${i}` : ''
      })
    )
  stored = [
    ...series(september, { topic: '7/obj/a' }),
    ...series(september, { topic: '7/obj/texts' }, true),
    ...series(september, { topic: '7/obj/other', installation_id: 2 }),
    ...series(september, { topic: '7/obj/dense' }, false, MINUTE),
    ...Array.from({ length: SMALL_TOPICS }, (_, i) =>
      sampleAt(september + i, { topic: `7/obj/small/${i}`, installation_id: 3, value: i })
    ),
    ...series(october, { topic: '7/obj/a' }),
    ...series(october, { topic: '7/obj/other', installation_id: 2 })
  ]
  await history.append(rowsFrom(stored), 'all')
  await history.packAll()
  await history.close()
  name = listedPacks(prepared).find((name) => name.startsWith('2026-09')) ?? assert.fail()
})
after(() => rmSync(prepared, { recursive: true }))

function copied(): { directory: string; file: string } {
  const directory = mkdtempSync(join(tmpdir(), 'damage-'))
  cpSync(prepared, directory, { recursive: true })
  return { directory, file: join(packsIn(directory), name) }
}

/** Asks everything in every way. Each answer is a text, or the error. */
function asker(directory: string): () => Record<string, string | Error> {
  const [file, scanned] = [openSqliteFile(directory, 'reader'), openSqliteFile(directory, 'reader')]
  const window = { from: unixMs(september), to: unixMs(october - 1) }
  return () => {
    const reader = new SqliteReader(file, new PackFiles(packsIn(directory)), () => false)
    const scanner = new SqliteScanner(scanned, new PackFiles(packsIn(directory)))
    const aggregated = (installation_id: number, method: 'sum' | 'median', ms = 30 * DAY) =>
      reader.aggregate({
        ...{ ...pageOf(installation_id), ...window, method: { name: method } },
        buckets: { ms }
      })
    const textOf = (page: ReturnType<SqliteReader['aggregate']>) =>
      typeof page === 'string' ? page : `${page.total} ${rowsText(page)}`
    const answers: Record<string, () => string> = {
      ...Object.fromEntries(
        [1, 2, 3].flatMap((id) => [
          [
            `page ${id}`,
            () => textOf(reader.readPage({ ...pageOf(id), ...window, withIds: true }))
          ],
          [`sum ${id}`, () => textOf(aggregated(id, 'sum'))],
          [`sum by hour ${id}`, () => textOf(aggregated(id, 'sum', HOUR))],
          [`median ${id}`, () => textOf(aggregated(id, 'median'))]
        ])
      ),
      month: () => scanner.readMonth('2026-09', BEGIN).rows.toString(),
      'other month': () => scanner.readMonth('2026-10', BEGIN).rows.toString(),
      'page of another month': () => textOf(reader.readPage({ ...pageOf(1), from: october }))
    }
    return Object.fromEntries(
      Object.entries(answers).map(([query, ask]) => {
        try {
          return [query, ask()]
        } catch (error) {
          return [query, error as Error]
        }
      })
    )
  }
}

/** Which queries fail. Those that do not fail answer as before. */
function failing(
  answers: Record<string, string | Error>,
  whole: Record<string, string | Error>
): string[] {
  return Object.entries(answers).flatMap(([query, answer]) => {
    if (!(answer instanceof Error)) {
      assert.equal(answer, whole[query], query)
      return []
    }
    assert.match(answer.message, / is damaged: .*; restore this file from a backup/)
    assert(answer.message.includes(name), answer.message)
    if (/(summaries|times|values|ids|texts) from/.test(answer.message))
      assert.match(answer.message, /\(topic 7\/obj\/.* of installation [123]\)/)
    return [query]
  })
}

test('any changed byte of a packed file is found and named, and no query answers wrongly', () => {
  const { directory, file } = copied()
  const ask = asker(directory)
  const whole = ask()
  assert(Object.values(whole).every((answer) => typeof answer === 'string'))
  const bytes = readFileSync(file)
  const [step, edge] = [rounds(23, 397), rounds(64, 12)]
  const found = new Set<string>()
  for (let at = 0; at < bytes.length; at += at < edge || at > bytes.length - edge ? 1 : step) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] as number) ^ (at % 2 === 0 ? 0xff : 1 << (at % 8))
    writeFileSync(file, changed)
    const queries = failing(ask(), whole)
    for (const query of queries) found.add(query)
    // The first bytes only say what kind of file it is.
    assert.equal(queries.length > 0, at >= MAGIC_BYTES, `byte ${at} of ${bytes.length}`)
  }
  assert(found.has('sum 1') && found.has('median 1') && found.has('page 3') && found.has('month'))
  assert(!found.has('other month') && !found.has('page of another month'))
  for (let length = 0; length < bytes.length; length += Math.ceil(bytes.length / rounds(50))) {
    writeFileSync(file, bytes.subarray(0, length))
    assert(failing(ask(), whole).length >= 7, `a length of ${length}`)
  }
  rmSync(file)
  assert(failing(ask(), whole).length >= 7, 'a missing file')
  writeFileSync(file, bytes)
  assert.deepEqual(failing(ask(), whole), [])
  rmSync(directory, { recursive: true })
})

async function withHistory(
  directory: string,
  use: (history: SqliteHistory) => Promise<void>
): Promise<void> {
  const history = await openSqliteHistory(directory, { clock: () => now })
  try {
    await use(history)
  } finally {
    await history.close()
  }
}
const ofInstallation = (id: number) => stored.filter((one) => one.installation_id === id)
const namesFile = (error: Error) => error.message.includes(name)
const window = { from: unixMs(september), to: unixMs(october - 1) }

test('damaged samples of one installation do not keep another from being erased, and stay damaged', async () => {
  const { directory, file } = copied()
  // The block of the first topic is first in the file.
  damageFrame(file, 'times')
  await withHistory(directory, async (history) => {
    await history.check()
    const read = () => history.readPage({ ...pageOf(1), ...window })
    await assert.rejects(read(), (error: Error) => {
      assert.match(error.message, /topic 7\/obj\/a of installation 1/)
      return namesFile(error)
    })
    await assert.rejects(history.check(), namesFile)
    await history.readPage({ ...pageOf(1), from: october })
    await history.erase(2)
    const { total } = await history.readPage(pageOf(3))
    assert.equal(total, SMALL_TOPICS)
    assert.equal((await history.readPage(pageOf(2))).total, 0)
    assert(!listedPacks(directory).includes(name))
    await assert.rejects(read(), /topic 7\/obj\/a of installation 1/)
    await history.erase(1)
    await assertStored(history, ofInstallation(3))
  })
  rmSync(directory, { recursive: true })
})

for (const [what, damage] of [
  ['missing', (file: string) => rmSync(file)],
  ['truncated', (file: string) => truncateSync(file, statSync(file).size - 100)]
] as const) {
  const howLong = what === 'missing' ? {} : slow
  test(
    `a ${what} file is named, an erasure does the rest, and is done again when the file is back`,
    howLong,
    async () => {
      const { directory, file } = copied()
      const kept = readFileSync(file)
      damage(file)
      await withHistory(directory, async (history) => {
        await assert.rejects(history.readPage({ ...pageOf(1), ...window }), namesFile)
        await assert.rejects(history.check(), namesFile)
        await assert.rejects(everySample(history), namesFile)
        await assert.rejects(history.erase(2), namesFile)
        const rest = await history.readPage({ ...pageOf(2), from: october })
        assert.equal(rest.total, 0, 'what could be erased is')
        const later = await history.readPage({ ...pageOf(1), from: october })
        assert.equal(later.total, 200)
        // New samples are stored and packed.
        const fresh = sampleAt(october + 1, { installation_id: 4 })
        await history.append(rowsFrom([fresh]), 'fresh')
        await history.packAll()
        assert.equal((await history.readPage({ ...pageOf(4), from: october })).total, 1)
      })
      writeFileSync(file, kept)
      await withHistory(directory, async (history) => {
        await history.erase(4)
        await history.erase(2)
        await assertStored(
          history,
          stored.filter((one) => one.installation_id !== 2)
        )
      })
      rmSync(directory, { recursive: true })
    }
  )
}
