import { inInstallation, inOrganization } from '../../holding.ts'
import type { Clock } from '../../lib/clock.ts'
import type { TraceAction } from '../../lib/trace.ts'
import type { InstallationRef } from '../../registry/installations.ts'
import type { Registry } from '../../registry/tables.ts'
import { organizationsOf } from '../../registry/users.ts'
import type { TraceRecorder } from './recorder.ts'

/** [ADR-0049] An operator changed an account with a command; `text` begins the description. */
export async function recordCommand(
  { registry, trace, clock }: { registry: Registry; trace: TraceRecorder; clock: Clock },
  { action, userId, text }: { action: TraceAction; userId: number; text: string }
): Promise<void> {
  await trace.record([
    {
      timestamp: clock(),
      user_id: 0,
      method: '',
      path: '',
      action,
      object_type: 'user',
      object_id: userId,
      ...inOrganization((await organizationsOf(registry, userId))[0]),
      description: `${text} user ${userId}, by a command on the machine`,
      address: ''
    }
  ])
}

/** The same for an installation. */
export async function recordSiteCommand(
  { trace, clock }: { trace: TraceRecorder; clock: Clock },
  { action, ref, text }: { action: TraceAction; ref: InstallationRef; text: string }
): Promise<void> {
  await trace.record([
    {
      timestamp: clock(),
      user_id: 0,
      method: '',
      path: '',
      action,
      object_type: 'installation',
      object_id: ref.id,
      ...inInstallation(ref.id, ref),
      description: `${text} installation ${ref.id}, by a command on the machine`,
      address: ''
    }
  ])
}
