import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { LastRun } from '../../src/platform/last-run.ts'
import { temporaryDirectory } from '../support/process.ts'

/** What the next start says about the run before. */
function nextStart(dataDir: string): string[] {
  const said: string[] = []
  const log = pino({}, { write: (line: string) => void said.push(JSON.parse(line).msg) })
  const run = new LastRun(dataDir, log)
  run.started()
  run.close()
  return said
}

const silent = pino({ level: 'silent' })

test('a start says how the last run ended', () => {
  const dataDir = temporaryDirectory()
  assert.deepEqual(nextStart(dataDir), [], 'the first start')
  assert.deepEqual(nextStart(dataDir), ['last stopped cleanly'])
  new LastRun(dataDir, silent).started()
  assert.match(String(nextStart(dataDir)), /^was killed/)
})

test('a start that failed leaves no mark of its own', () => {
  const dataDir = temporaryDirectory()
  new LastRun(dataDir, silent).close()
  assert(!existsSync(join(dataDir, 'last-run')))
  nextStart(dataDir)
  new LastRun(dataDir, silent).close()
  assert.deepEqual(nextStart(dataDir), ['last stopped cleanly'])
})
