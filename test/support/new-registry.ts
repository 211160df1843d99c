import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  ensureFirstAdministrator,
  type FirstLogin
} from '../../src/identity/first-administrator.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { openRegistry, sqliteFile } from '../../src/registry/open.ts'

let made: Promise<Buffer> | undefined

/**
 * Writes the registry that a first start makes. All migrations and the hash of a password take
 * longer than the rest of a start, so a process does that once.
 */
export async function putNewRegistry(dataDir: string, admin: FirstLogin): Promise<void> {
  made ??= makeOne(admin)
  const file = sqliteFile(dataDir)
  writeFileSync(file, await made, { mode: 0o600 })
  const registry = new DatabaseSync(file)
  registry.prepare('update platform set id = ?').run(randomUUID())
  registry.close()
}

async function makeOne(admin: FirstLogin): Promise<Buffer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'caracal-new-'))
  const registry = await openRegistry({ url: '', dataDir })
  await ensureFirstAdministrator(registry, admin, systemClock)
  await registry.destroy()
  const bytes = readFileSync(sqliteFile(dataDir))
  rmSync(dataDir, { recursive: true })
  return bytes
}
