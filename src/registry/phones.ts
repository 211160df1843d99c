import { sql } from 'kysely'
import { isOneOf } from './dialect.ts'
import type { Registry } from './tables.ts'

/** Executors with this type bring messages to phones. */
const PHONE_EXECUTOR = 'push'

export async function pushTokensOf(registry: Registry, userId: number): Promise<string[]> {
  const rows = await registry
    .selectFrom('mobile_devices')
    .select('firebase_token')
    .where('user_id', '=', userId)
    .orderBy('created')
    .orderBy('firebase_token')
    .execute()
  return rows.map(({ firebase_token }) => firebase_token)
}

export type PhoneExecutor = { id: number; config: Record<string, string>; secret: string }

/** The first executor for phones that one of these organizations has. */
export async function findPhoneExecutor(
  registry: Registry,
  organizationIds: readonly number[]
): Promise<PhoneExecutor | undefined> {
  const row = await registry
    .selectFrom('notification_executors')
    .select(['id', 'config', 'secret'])
    .where('type', '=', PHONE_EXECUTOR)
    .where(isOneOf(registry, sql.ref('organization_id'), organizationIds))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row && { ...row, config: JSON.parse(row.config) }
}
