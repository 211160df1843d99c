import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemsOf, type Status } from '../../src/platform/control/status.ts'

const MB = 1024 * 1024
const now = Date.UTC(2026, 10, 17)
const fine: Omit<Status, 'problems'> = {
  running: true,
  version: '1.2.3',
  pid: 7,
  started: 0,
  data_dir: '/data',
  addresses: [],
  engines: { registry: { ok: true, detail: 'sqlite' } },
  disk: { free: 5000 * MB, reserve: 1000 * MB },
  spool: { samples: 3, bytes: 100, oldest_seconds: 1 },
  connections: { http: 0, mqtt: 0 },
  certificate_expires: null,
  backup: { made: null, failed: null },
  backup_every: null
}
const inDays = (days: number) => now / 1000 + days * 86_400

test('the status names what is wrong', () => {
  const f = (more: Partial<Status>, ...want: RegExp[]) => {
    const problems = problemsOf({ ...fine, ...more }, now)
    assert.equal(problems.length, want.length, problems.join('\n'))
    for (const [i, pattern] of want.entries()) assert.match(problems[i] ?? '', pattern)
  }
  f({})
  f({ running: false }, /^Caracal is not running on this data directory$/)
  f(
    { engines: { registry: { ok: false, detail: 'ECONNREFUSED' } } },
    /^the registry does not work: ECONNREFUSED$/
  )
  f({ disk: { free: 999 * MB, reserve: 1000 * MB } }, /999 MB free.*no values are acknowledged/)
  f({ disk: { free: 1999 * MB, reserve: 1000 * MB } }, /nearly full: 1999 MB free/)
  f({ disk: { free: 0, reserve: 0 } })
  f({ spool: null })
  f(
    { spool: { samples: 9, bytes: 1, oldest_seconds: 601 } },
    /^9 stored values have waited up to 10 minutes for history/
  )
  f({ running: false, spool: { samples: 9, bytes: 1, oldest_seconds: 601 } }, /not running/)
  f({ certificate_expires: inDays(15) })
  f({ certificate_expires: inDays(13) }, /certificate ends on 2026-11-30: renew it/)
  f({ certificate_expires: inDays(-1) }, /certificate ended on 2026-11-16: renew it/)
  const every = 86_400
  const made = (ended: number) => ({
    ...{ place: '/b', started: ended, ended, bytes: 1, new_bytes: 1 }
  })
  f({ backup_every: every, started: inDays(-1) })
  f({ backup_every: every, started: inDays(-3) }, /^no backup was made yet/)
  f({ backup_every: every, backup: { made: made(inDays(-1)), failed: null } })
  f(
    { backup_every: every, backup: { made: made(inDays(-3)), failed: null } },
    /^the last backup is from 2026-11-14, but CARACAL_BACKUP_EVERY wants a newer one$/
  )
  f({ backup_every: null, backup: { made: made(inDays(-3)), failed: null } })
  const failed = { directory: '/b', at: inDays(0), error: 'no space' }
  f({ backup_every: every, backup: { made: null, failed } }, /^the last backup failed: no space$/)
})
