import assert from 'node:assert/strict'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { openSqliteHistory } from '../../src/history/sqlite/history.ts'
import type { Sample } from '../../src/lib/sample.ts'
import { MINUTE, unixMs } from '../../src/lib/unix-time.ts'
import { type OneThreadHistory, openInOneThread } from '../support/one-thread-history.ts'
import { temporaryDirectory } from '../support/process.ts'
import { rounds } from '../support/rounds.ts'
import { strace, withoutStrace } from '../support/strace.ts'
import {
  assertStored,
  everySample,
  listedPacks,
  packFiles,
  rowsFrom,
  sampleAt,
  storedOf
} from '../support/whole-history.ts'

const program = new URL('../support/packing.ts', import.meta.url).pathname
const now = unixMs(Date.UTC(2026, 10, 17))
const september = Date.UTC(2026, 8, 20)
const october = unixMs(Date.UTC(2026, 9, 1))
const november = Date.UTC(2026, 10, 3)

/** Everything that changes a file. */
const CHANGES = 'pwrite64,fdatasync,fsync,rename,unlink,unlinkat,ftruncate'
/** The thread that removes old files has its own count. */
const REMOVALS = 'unlink,unlinkat'
/** Without CI=true, so many of the calls of a series are tried. */
const MAX_KILLS = rounds(1000, 12)
const AT_ONCE = 6

type Work = {
  name: string
  args: readonly string[]
  /** What may be gone when it was killed, and is gone when it ended. */
  removes: (sample: Sample) => boolean
  again: (history: OneThreadHistory) => Promise<unknown>
}
const works: readonly Work[] = [
  { name: 'packing', args: ['pack'], removes: () => false, again: (history) => history.packAll() },
  {
    name: 'dropping a month',
    args: ['drop', String(october)],
    removes: ({ timestamp }) => timestamp < october,
    again: (history) => history.dropBefore(october)
  },
  {
    name: 'erasing an installation',
    args: ['erase', '2'],
    removes: ({ installation_id }) => installation_id === 2,
    again: (history) => history.erase(2)
  }
]

/** Three months of two installations, first packed, then as rows with late and repeated samples. */
const prepared = temporaryDirectory()
let arrived: Sample[]
let stored: Sample[]
before(async () => {
  const history = await openSqliteHistory(prepared, { clock: () => now })
  const samplesAt = (shift: number) =>
    [september, october as number, november].flatMap((start) =>
      Array.from({ length: 60 }, (_, i) =>
        sampleAt(start + Math.floor(i / 4) * MINUTE + (i % 5 === 0 ? 0 : shift), {
          installation_id: 1 + (i % 2),
          topic: `7/obj/${i % 4}`,
          value: i / 4,
          msg: i % 7 === 0 ? `message ${i}` : ''
        })
      )
    )
  const [packed, late] = [samplesAt(0), samplesAt(MINUTE / 2)]
  await history.append(rowsFrom(packed), 'first')
  await history.packAll()
  await history.append(rowsFrom(late), 'second')
  await history.close()
  arrived = [...packed, ...late]
  stored = storedOf(arrived)
  assert.equal(listedPacks(prepared).length, 3)
})

const run = (directory: string, { args }: Work, options: readonly string[]) =>
  strace(options, [program, directory, String(now), ...args])

/** Whether it was killed. */
async function killAt(work: Work, calls: string, n: number): Promise<boolean> {
  const directory = temporaryDirectory()
  cpSync(prepared, directory, { recursive: true })
  const inject = `inject=${calls}:signal=KILL:when=${n}`
  // Only calls that are traced can be changed.
  const options = ['-o', '/dev/null', '-e', `trace=${calls}`, '-e', inject]
  const { signal, stdout, stderr } = await run(directory, work, options)
  assert.equal(signal, 'SIGKILL', stderr)
  const isKilled = stdout !== 'done'
  try {
    await assertWhole(directory, work, isKilled)
  } catch (error) {
    throw new Error(`killed at call ${n} of ${calls}`, { cause: error })
  }
  rmSync(directory, { recursive: true })
  return isKilled
}

async function assertWhole(directory: string, work: Work, isKilled: boolean): Promise<void> {
  const kept = stored.filter((sample) => !work.removes(sample))
  await withHistory(directory, async (history) => {
    assert.deepEqual(packFiles(directory), listedPacks(directory), 'no unlisted file stays')
    const found = await everySample(history)
    await assertStored(history, found)
    const isKept = new Set(kept.map(({ id }) => id))
    assert.equal(found.filter(({ id }) => isKept.has(id)).length, kept.length)
    // A repeated sample that is being erased may come back with its earlier id.
    const known = new Map(arrived.map((sample) => [sample.id, sample]))
    for (const sample of found) assert.deepEqual(sample, known.get(sample.id))
    if (!isKilled) assert.equal(found.length, kept.length)
    await work.again(history)
    await assertStored(history, kept)
    await history.packAll()
    await assertStored(history, kept)
    assert.deepEqual(packFiles(directory), listedPacks(directory))
  })
  await withHistory(directory, (history) => assertStored(history, kept))
}

async function withHistory(
  directory: string,
  use: (history: OneThreadHistory) => Promise<void>
): Promise<void> {
  const history = await openInOneThread(directory, now)
  try {
    await use(history)
  } finally {
    await history.close()
  }
}

/** The calls that are tried: all, or some over the whole length. */
const chosen = (length: number): number[] => {
  const all = Array.from({ length }, (_, i) => i + 1)
  const each = Math.ceil(length / MAX_KILLS)
  return all.filter((n) => n % each === 0 || n === 1)
}

for (const work of works) {
  test(`${work.name} that is killed at any change of a file loses nothing and leaves nothing behind`, {
    skip: withoutStrace
  }, async () => {
    for (const calls of [CHANGES, REMOVALS]) {
      const waiting = chosen(await lengthOf(work, calls))
      const tries = waiting.length
      let kills = 0
      const killSome = async () => {
        for (let n = waiting.shift(); n !== undefined; n = waiting.shift())
          if (await killAt(work, calls, n)) kills++
      }
      await Promise.all(Array.from({ length: AT_ONCE }, killSome))
      assert(kills >= tries / 2, `${kills} kills of ${tries}`)
      assert.equal(await killAt(work, calls, 60_000), false)
    }
  })
}

/** The greatest number of these calls that one thread makes. */
async function lengthOf(work: Work, calls: string): Promise<number> {
  const lines = await callsOf(work, calls)
  const byThread = Map.groupBy(lines, (line) => line.split(' ', 1)[0])
  return Math.max(...[...byThread.values()].map(({ length }) => length))
}

/** The lines of strace, with the paths of open files. */
async function callsOf(work: Work, calls: string): Promise<string[]> {
  const directory = temporaryDirectory()
  cpSync(prepared, directory, { recursive: true })
  const log = join(temporaryDirectory(), 'calls')
  const { stdout, stderr } = await run(directory, work, ['-y', '-o', log, '-e', `trace=${calls}`])
  assert.equal(stdout, 'done', stderr)
  return readFileSync(log, 'utf8').trim().split('\n')
}

for (const work of works) {
  // A kill leaves what the system holds in memory. A power cut does not, so the order matters.
  test(`${work.name} syncs new files before they are listed, and the list before old files go`, {
    skip: withoutStrace
  }, async () => {
    const unsynced = new Set<string>()
    let removals = 0
    let listings = 0
    for (const line of await callsOf(work, CHANGES)) {
      const [, call = '', path = ''] =
        /^\d+ +(\w+)\((?:\d+<|(?:AT_FDCWD<[^>]*>, )?")([^>"]*)/.exec(line) ?? []
      if (path.endsWith('.pack') && call === 'pwrite64') {
        unsynced.add(path).add(join(path, '..'))
        listings++
      }
      if (path.endsWith('-wal') && call === 'pwrite64') {
        const packs = [...unsynced].filter((path) => path.includes('packs'))
        assert.deepEqual(packs, [], 'the list of files changes')
        unsynced.add(path)
      }
      if (call === 'fsync' || call === 'fdatasync') unsynced.delete(path)
      if (path.endsWith('.pack') && call.startsWith('unlink')) {
        const wals = [...unsynced].filter((path) => path.endsWith('-wal'))
        assert.deepEqual(wals, [], `${path} goes`)
        removals++
      }
    }
    assert(listings > 0 && removals > 0, 'both were seen')
  })
}
