import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { unixMs } from '../../src/lib/unix-time.ts'
import { openOutbox } from '../../src/outbound/outbox.ts'

test('the outbox has one JSON file per message, named by time and readable by the owner only', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'caracal-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  let now = unixMs(1_700_000_000_000)
  const outbox = openOutbox(dataDir, () => now)
  const letters = [
    { kind: 'sms', to: '+46700000000', text: '123456' },
    { kind: 'mail', to: 'a@b', subject: 'Key', text: 'key\n' }
  ] as const
  for (const letter of letters) {
    await outbox.send(letter)
    now = unixMs(now + 1)
  }
  const files = readdirSync(join(dataDir, 'outbox')).sort()
  assert.equal(files.length, 2)
  assert.match(files[0] ?? '', /^2023-11-14T22-13-20\.000Z-[0-9a-f]{8}\.json$/)
  for (const [i, file] of files.entries()) {
    const path = join(dataDir, 'outbox', file)
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), letters[i])
    assert.equal(statSync(path).mode & 0o077, 0)
  }
})
