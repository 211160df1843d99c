import type { Registry } from '../../registry/tables.ts'
import { inTransaction } from '../../registry/transaction.ts'

type Phone = { device_id: string; firebase_token: string; user_id: number }

/** A phone has one token and one user. Registering it again replaces the old entry. */
export async function registerPhone(registry: Registry, phone: Phone, now: number): Promise<void> {
  await inTransaction(registry, async (registry) => {
    await registry
      .deleteFrom('mobile_devices')
      .where((eb) =>
        eb.or([
          eb('device_id', '=', phone.device_id),
          eb('firebase_token', '=', phone.firebase_token)
        ])
      )
      .execute()
    await registry
      .insertInto('mobile_devices')
      .values({ ...phone, created: now })
      .execute()
  })
}
