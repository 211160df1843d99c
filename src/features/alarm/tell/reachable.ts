import type { Identity } from '../../../identity/identity.ts'
import type { Severity } from '../../../lib/alarm/rule.ts'
import { phoneNumber } from '../../../lib/phone-number.ts'
import type { InstallationRef } from '../../../registry/installations.ts'
import { findPhoneExecutor, pushTokensOf } from '../../../registry/phones.ts'
import type { Registry } from '../../../registry/tables.ts'
import { listSubscriptions } from './push.ts'
import type { Person, Recipients } from './recipients.ts'
import type { Channel } from './settings.ts'

type Parts = { registry: Registry; identity: Identity; recipients: Recipients }

/** How many users would be told of an alarm of the installation, by its severity. */
export async function countReached(
  parts: Parts,
  installation: InstallationRef
): Promise<Record<Severity, number>> {
  const counts = { info: 0, warning: 0, critical: 0 }
  for (const person of await parts.recipients.of(installation)) {
    const { severities } = person.settings
    if (severities.length === 0 || !(await isReached(parts, person))) continue
    for (const severity of severities) counts[severity]++
  }
  return counts
}

/** Whether one of the channels leads somewhere. */
async function isReached(parts: Parts, person: Person): Promise<boolean> {
  const { channels, webhook } = person.settings
  const leads: Record<Channel, () => boolean | Promise<boolean>> = {
    mail: () => true,
    sms: () => phoneNumber(person.mobile) !== undefined,
    webhook: () => webhook !== '',
    push: () => hasPush(parts, person.id)
  }
  for (const channel of channels) if (await leads[channel]()) return true
  return false
}

async function hasPush({ registry, identity }: Parts, userId: number): Promise<boolean> {
  if ((await listSubscriptions(registry, userId)).length > 0) return true
  if ((await pushTokensOf(registry, userId)).length === 0) return false
  const principal = await identity.ofUser(userId)
  const above = [...(principal?.organizationsAbove ?? [])]
  return (await findPhoneExecutor(registry, above)) !== undefined
}
