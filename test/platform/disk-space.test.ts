import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pino from 'pino'
import { DiskSpace } from '../../src/platform/disk-space.ts'
import { eventually } from '../support/eventually.ts'

const POOL_THREADS = 4

async function watched(t: TestContext) {
  const path = mkdtempSync(join(tmpdir(), 'caracal-'))
  const logged: string[] = []
  const log = pino({}, { write: (line) => void logged.push(JSON.parse(line).msg) })
  const disk = new DiskSpace({ path, reserve: 1, log })
  await disk.start()
  t.after(() => {
    disk.stop()
    rmSync(path, { recursive: true, force: true })
  })
  return { path, disk, logged }
}

const state = ({ isEnough, isAnswering }: DiskSpace) => ({ isEnough, isAnswering })

test('a directory that is away counts as full, does not end the process, and is logged once', async (t) => {
  const { path, disk, logged } = await watched(t)
  assert.deepEqual(state(disk), { isEnough: true, isAnswering: true })
  rmSync(path, { recursive: true })
  await eventually(() => assert.deepEqual(state(disk), { isEnough: false, isAnswering: false }))
  assert.equal(disk.free, 0)
  const again = disk.whenEnough()
  await wait(2200)
  mkdirSync(path)
  await again
  assert.deepEqual(state(disk), { isEnough: true, isAnswering: true })
  assert.deepEqual(logged, ['the directory does not answer', 'the directory answers again'])
})

test('a directory that hangs is read once, and samples do not wait for it', async (t) => {
  const { path, disk, logged } = await watched(t)
  const fifo = join(path, 'fifo')
  execFileSync('mkfifo', [fifo])
  // Every thread of the pool waits for a writer.
  const opening = Array.from({ length: POOL_THREADS }, () => open(fifo, 'r'))
  await eventually(() => assert.deepEqual(state(disk), { isEnough: true, isAnswering: false }))
  await wait(2200)
  const asked = process.getActiveResourcesInfo().filter((name) => name === 'FSReqPromise')
  const writer = openSync(fifo, 'r+')
  for (const handle of await Promise.all(opening)) await handle.close()
  closeSync(writer)
  assert.equal(asked.length - POOL_THREADS, 1)
  await eventually(() => assert.deepEqual(state(disk), { isEnough: true, isAnswering: true }))
  assert.deepEqual(logged, ['the directory does not answer', 'the directory answers again'])
})

test('the log says when the reserve is reached and when there is space again', async (t) => {
  const path = mkdtempSync(join(tmpdir(), 'caracal-'))
  const logged: string[] = []
  const log = pino({}, { write: (line) => void logged.push(JSON.parse(line).msg) })
  const options = { path, reserve: 1, log }
  const disk = new DiskSpace(options)
  await disk.start()
  t.after(() => {
    disk.stop()
    rmSync(path, { recursive: true, force: true })
  })
  options.reserve = Number.MAX_SAFE_INTEGER
  const [full, back] = [
    'the disk is full up to its reserve: free space on it',
    'the disk has space again'
  ]
  await eventually(() => assert.deepEqual(logged, [full]))
  await wait(1200)
  options.reserve = 1
  await eventually(() => assert.deepEqual(logged, [full, back]))
})
