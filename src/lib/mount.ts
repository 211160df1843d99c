/** The mount of a key, as it is stored and shown. */
export type MountPlace = { installation_id: number; prefix: string }

export const DEFAULT_MOUNT_PREFIX = 'dev'
export const MAX_MOUNT_LEVELS = 8
/** In UTF-8. The topics of the device must have room behind it. */
export const MAX_MOUNT_BYTES = 128

/** The platform gives these trees a meaning. */
const ownTrees = ['obj', 'set', 'evt']
/** Wildcards, `$`, and what brokers may refuse in a topic [MQTT 1.5.3]. */
const REFUSED = /[+#$\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u

export function isMountPrefix(text: string): boolean {
  if (REFUSED.test(text) || Buffer.byteLength(text) > MAX_MOUNT_BYTES) return false
  const levels = text.split('/')
  if (levels.length > MAX_MOUNT_LEVELS || ownTrees.includes(levels[0] ?? '')) return false
  return levels.every((level) => level !== '' && level !== '.' && level !== '..')
}

/**
 * The topics of a client that signed in with a mounted key: the client writes `a`, the broker knows
 * `1001/dev/a`. [ADR-0062]
 */
export class Mount {
  readonly clientId: number
  /** With a slash at the end. */
  readonly #base: string

  constructor(clientId: number, prefix: string) {
    this.clientId = clientId
    this.#base = `${clientId}/${prefix}/`
  }

  /**
   * The topic or filter that the broker knows. An empty one is malformed, and what begins with `$`
   * belongs to the broker: both stay as they are, and are refused as without a mount.
   */
  enter(topic: string): string {
    return topic === '' || topic.startsWith('$') ? topic : this.#base + topic
  }

  /** The topic that the client knows. Only for topics inside. */
  leave(topic: string): string {
    return topic.slice(this.#base.length)
  }

  /**
   * `1001/dev` is outside, although `1001/dev/#` matches it. So are `1001/dev/`, whose topic would be
   * empty, and topics that would begin with `$`, which no filter of the client may match
   * [MQTT 4.7.2-1].
   */
  has(topic: string): boolean {
    const begin = this.#base.length
    return topic.length > begin && topic[begin] !== '$' && topic.startsWith(this.#base)
  }
}
