import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { before, test } from 'node:test'
import { openSqliteHistory } from '../../src/history/sqlite/history.ts'
import type { Sample } from '../../src/lib/sample.ts'
import { isDiskFull } from '../../src/lib/storage-fault.ts'
import { MINUTE, unixMs } from '../../src/lib/unix-time.ts'
import { openInOneThread } from '../support/one-thread-history.ts'
import type { Try } from '../support/packing-on-full-disk.ts'
import { temporaryDirectory } from '../support/process.ts'
import { rounds } from '../support/rounds.ts'
import { strace, withoutStrace } from '../support/strace.ts'
import {
  assertStored,
  listedPacks,
  packFiles,
  rowsFrom,
  sampleAt,
  storedOf
} from '../support/whole-history.ts'

const program = new URL('../support/packing-on-full-disk.ts', import.meta.url).pathname
const now = unixMs(Date.UTC(2026, 10, 17))
/** More than are packed at once. */
const MONTHS = 20
const STEP = rounds(2, 8)
const AT_ONCE = 4

const prepared = temporaryDirectory()
let stored: Sample[]
before(async () => {
  const samplesAt = (shift: number, months: number) =>
    Array.from({ length: 8 * months }, (_, i) =>
      sampleAt(Date.UTC(2025, i % months, 3) + Math.floor(i / months) * MINUTE + shift, {
        topic: `7/obj/${i % 3}`,
        value: i
      })
    )
  const history = await openSqliteHistory(prepared, { clock: () => now })
  const [packed, late] = [samplesAt(0, 3), samplesAt(1, MONTHS)]
  await history.append(rowsFrom(packed), 'first')
  await history.packAll()
  await history.append(rowsFrom(late), 'second')
  await history.close()
  stored = storedOf([...packed, ...late])
})

/** Everything that is written from the n-th write on fails. Returns whether packing failed. */
async function fillAt(n: number): Promise<boolean> {
  const directory = temporaryDirectory()
  cpSync(prepared, directory, { recursive: true })
  const inject = `inject=pwrite64:error=ENOSPC:when=${n}+`
  const options = ['-o', '/dev/null', '-e', 'trace=pwrite64', '-e', inject]
  const { status, stdout, stderr } = await strace(options, [program, directory, String(now)])
  // The first connection writes the index of the write-ahead log; those that read write nothing.
  const hasStarted = stdout !== ''
  if (!hasStarted) assert(n <= 8 && status === 1, `${status} ${stderr}`)
  const tries: Try[] = hasStarted ? JSON.parse(stdout) : []
  for (const { error, leftovers } of tries) {
    assert(error === undefined || isDiskFull(new Error(error)), error)
    assert.deepEqual(leftovers, [], `from write ${n} on`)
  }
  const open = tries.map(({ openFiles }) => openFiles)
  assert(Math.max(...open.slice(1)) <= (open[1] ?? 0), `open files: ${open}`)
  const history = await openInOneThread(directory, now)
  try {
    await assertStored(history, stored)
    await history.packAll()
    await assertStored(history, stored)
  } finally {
    await history.close()
  }
  assert.deepEqual(packFiles(directory), listedPacks(directory))
  assert.equal(listedPacks(directory).length, MONTHS)
  rmSync(directory, { recursive: true })
  return !hasStarted || tries.some(({ error }) => error !== undefined)
}

test('a disk that is full at any write of packing loses nothing, is told, and packing goes on later', {
  skip: withoutStrace
}, async () => {
  let [next, hasWorked, failures] = [1, false, 0]
  const fillSome = async () => {
    while (!hasWorked) {
      const n = next
      next += STEP
      if (await fillAt(n)) failures++
      else hasWorked = true
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, fillSome))
  assert(failures > 5, `${failures} failures`)
})
