import { sql } from 'kysely'
import { HOUR } from '../../lib/unix-time.ts'
import { forUpdate, isOneOf, isOneOfTexts } from '../../registry/dialect.ts'
import type { Registry } from '../../registry/tables.ts'

/**
 * Runs before a content is placed: a file must refer to it within an hour. The sweep locks the row
 * while it removes a content, so this waits, and the content placed afterwards stays. [ADR-0022]
 */
export async function claimContent(registry: Registry, hash: string, now: number): Promise<void> {
  const look_at = now + HOUR
  await registry
    .insertInto('file_contents')
    .values({ hash, look_at })
    .onConflict((conflict) =>
      conflict.column('hash').doUpdateSet({
        // With two claims the time is later than both, so that neither can release the content.
        look_at: sql`case when file_contents.look_at >= ${look_at} then file_contents.look_at + 1
          when file_contents.look_at > ${now} then ${look_at + 1} else ${look_at} end`
      })
    )
    .execute()
}

/** Ends the claims after the files are written or refused. Claims of other uploads stay. */
export async function releaseContents(
  registry: Registry,
  hashes: readonly string[],
  { claimed, now }: { claimed: number; now: number }
): Promise<void> {
  await registry
    .updateTable('file_contents')
    .set({ look_at: now })
    .where(isOneOfTexts(registry, sql.ref('hash'), hashes))
    .where('look_at', '=', claimed + HOUR)
    .execute()
}

/** Runs before the owners are deleted; their files are deleted with them. */
export async function letGoFilesOf(
  registry: Registry,
  kind: 'installation' | 'organization',
  ids: readonly number[],
  now: number
): Promise<void> {
  const rows = await registry
    .selectFrom('files')
    .select('hash')
    .distinct()
    .where(isOneOf(registry, sql.ref(`${kind}_id`), ids))
    .execute()
  if (rows.length > 0)
    await letGo(
      registry,
      rows.map(({ hash }) => hash),
      now
    )
}

/** Lets the sweep check whether the contents are still needed, but not before a claim ends. */
export async function letGo(
  registry: Registry,
  hashes: readonly string[],
  now: number
): Promise<void> {
  await registry
    .updateTable('file_contents')
    .set({
      look_at: sql`case when coalesce(look_at, 0) < ${now} then ${now} else look_at end`
    })
    .where(isOneOfTexts(registry, sql.ref('hash'), hashes))
    .execute()
}

export async function contentsToLookAt(
  registry: Registry,
  now: number,
  limit: number
): Promise<string[]> {
  const rows = await registry
    .selectFrom('file_contents')
    .select('hash')
    .where('look_at', '<=', now)
    .orderBy('look_at')
    .limit(limit)
    .execute()
  return rows.map(({ hash }) => hash)
}

/** Removes a content that no file refers to. The lock prevents that a new file refers to it. */
export const sweepContent = (
  registry: Registry,
  hash: string,
  now: number,
  remove: () => Promise<void>
): Promise<boolean> =>
  registry.transaction().execute(async (registry) => {
    const due = await registry
      .selectFrom('file_contents')
      .select('hash')
      .where('hash', '=', hash)
      .where('look_at', '<=', now)
      .modifyEnd(forUpdate(registry))
      .executeTakeFirst()
    if (!due) return false
    const user = await registry
      .selectFrom('files')
      .select('id')
      .where('hash', '=', hash)
      .limit(1)
      .executeTakeFirst()
    if (user) {
      await registry
        .updateTable('file_contents')
        .set({ look_at: null })
        .where('hash', '=', hash)
        .execute()
      return false
    }
    await remove()
    await registry.deleteFrom('file_contents').where('hash', '=', hash).execute()
    return true
  })
