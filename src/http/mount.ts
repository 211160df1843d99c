import { Type } from 'typebox'
import {
  DEFAULT_MOUNT_PREFIX,
  isMountPrefix,
  MAX_MOUNT_BYTES,
  MAX_MOUNT_LEVELS
} from '../lib/mount.ts'
import { badRequest } from './errors.ts'
import { Maybe } from './schema.ts'

/** [ADR-0062] */
export const MountPrefix = Maybe(
  Type.String({
    minLength: 1,
    maxLength: MAX_MOUNT_BYTES,
    description:
      `\`${DEFAULT_MOUNT_PREFIX}\` if missing. 1 to ${MAX_MOUNT_LEVELS} topic levels without wildcards, ` +
      '`$`, `.` and `..`; the first one is not `obj`, `set` or `evt`'
  })
)

export const Mount = Type.Object(
  { installation_id: Type.Integer(), prefix: Type.String() },
  {
    title: 'Mount',
    description:
      'All MQTT topics of a connection with this key are below `<client_id>/<prefix>/` of the ' +
      'installation. The device neither writes nor sees that part. Such a key is for MQTT only'
  }
)

/** The prefix of a mount that a request asks for. */
export function prefixIn(
  { prefix: given }: { prefix?: string | null | undefined },
  { hasMounts }: { hasMounts: boolean }
): string {
  if (!hasMounts) {
    throw badRequest('mount: an external broker does not know mounts, see docs/brokers.md')
  }
  const prefix = given ?? DEFAULT_MOUNT_PREFIX
  if (isMountPrefix(prefix)) return prefix
  throw badRequest(
    `mount.prefix must have 1 to ${MAX_MOUNT_LEVELS} topic levels and at most ${MAX_MOUNT_BYTES} ` +
      'bytes, without wildcards, "$", control characters, empty levels, "." and "..", and must not ' +
      'begin with obj, set or evt'
  )
}
