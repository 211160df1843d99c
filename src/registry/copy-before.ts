import { readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { freeSpace } from '../lib/free-space.ts'
import { syncPath } from '../lib/sync-path.ts'
import type { Upgrade } from './migrate.ts'
import type { Registry } from './tables.ts'

/** A migration may need as much space again. */
const SPACE_FACTOR = 2
const COPY = /^registry\.sqlite\.schema-\d+(\.part)?$/

/**
 * Copies a registry in a file beside itself before its schema changes, and answers the name of the
 * copy. Nothing has changed yet when it fails. [ADR-0052]
 */
export async function copyBefore(
  registry: Registry,
  file: string,
  { from, to }: Upgrade
): Promise<string> {
  const copy = `${file}.schema-${from}`
  const directory = dirname(file)
  const needed = (await sizeOf(registry)) * SPACE_FACTOR
  const free = await freeSpace(directory)
  if (free < needed) {
    throw new Error(
      `the registry needs schema ${to} in place of ${from}, and its copy before the change needs ${megabytes(needed)} MB, but ${directory} has only ${megabytes(free)} MB free: make room and start again; nothing was changed`
    )
  }
  const part = `${copy}.part`
  await rm(part, { force: true })
  try {
    await sql`vacuum into ${part}`.execute(registry)
    await syncPath(part)
    await rename(part, copy)
    await syncPath(directory)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  return copy
}

/** After a start that had nothing to change, nobody goes back to the schema before. */
export async function removeCopies(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir))
    if (COPY.test(name)) await rm(join(dataDir, name), { force: true })
}

async function sizeOf(registry: Registry): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`.execute(
    registry
  )
  return rows[0]?.bytes ?? 0
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1024 / 1024)
