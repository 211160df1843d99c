import { asLevel, isWithinTopicLimits } from '../../topic.ts'
import type { UnixMs } from '../../unix-time.ts'
import type { MappedMessage } from '../message.ts'
import { finite } from '../number.ts'
import { type DerivedValue, type Outcome, STEPS_PER_VALUE } from '../rule.ts'

/** What a device expects. Topics are what follows the client id. */
export type Command = {
  topic: string
  payload: string
  /** Where the device sends the same value. */
  sources: readonly string[]
}

/** The messages of one make, wherever they are mounted. */
export type Make = {
  /** Undefined: it is no message of the make. */
  read(message: MappedMessage): Outcome | undefined
  /**
   * `levels` are those of an object topic that `read` made, without `obj`. Undefined: the make takes no
   * command there.
   */
  command?(levels: readonly string[], value: number): Command | undefined
}

/** A mount has at most so many levels. */
export const MAX_MOUNT_LEVELS = 8
const MAX_DEPTH = 8
const STEPS_PER_KEY = 4
/** Longer than every client id with its slash. */
const CLIENT_ID_ROOM = `${Number.MAX_SAFE_INTEGER}/`

export const isObject = (found: unknown): found is Record<string, unknown> =>
  typeof found === 'object' && found !== null && !Array.isArray(found)

/** Undefined if there is none. Keys of the prototype do not count. */
export const ownKey = (found: unknown, key: string): unknown =>
  isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined

/** The place of a level among the first ones; -1: it is not there. */
export function placeOfLevel(levels: readonly string[], ...names: string[]): number {
  const at = levels.findIndex((level) => names.includes(level))
  return at <= MAX_MOUNT_LEVELS ? at : -1
}

export const refusedFor = (reason: string, path = ''): Outcome => ({
  values: [],
  refused: [{ path, reason }]
})

const onOff: ReadonlyMap<string, number> = new Map([
  ['ON', 1],
  ['OFF', 0]
])

/** Numbers, true, false, ON and OFF. */
export const readPlain = (found: unknown, words = onOff): number | undefined => {
  if (typeof found === 'number') return finite(found)
  if (typeof found === 'boolean') return found ? 1 : 0
  return typeof found === 'string' ? words.get(found) : undefined
}

/** Collects the values of one device from one message. */
export class DeviceValues {
  readonly #message: MappedMessage
  readonly #values: DerivedValue[] = []
  readonly #root: string
  readonly #device: string
  readonly #timestamp: UnixMs | undefined
  #reason: string | undefined

  /**
   * `place`: the levels between `obj` and the keys of a value. Without a timestamp nothing is stored.
   */
  constructor(
    message: MappedMessage,
    place: { levels: readonly string[]; device: string },
    timestamp: UnixMs | undefined
  ) {
    this.#message = message
    this.#root = ['obj', ...place.levels.map(asLevel)].join('/')
    this.#device = place.device
    this.#timestamp = timestamp
    if (timestamp === undefined) this.#reason = 'bad timestamp'
  }

  add(
    keys: readonly string[],
    value: number | undefined,
    { unit = '', isWritable = false } = {}
  ): void {
    if (value === undefined || this.#timestamp === undefined || this.#reason) return
    let topic = this.#root
    for (const key of keys) topic += `/${asLevel(key)}`
    if (!isWithinTopicLimits(CLIENT_ID_ROOM + topic)) {
      this.#reason = 'bad topic'
      return
    }
    if (--this.#message.valuesLeft < 0 || !this.#message.take(STEPS_PER_VALUE)) {
      this.#reason = 'too many values'
      return
    }
    const name = `${this.#device} ${keys.join(' ')}`
    this.#values.push({ topic, value, timestamp: this.#timestamp, unit, name, isWritable })
  }

  /** Calls `visit` for everything that is no object and no list, with its keys. */
  each(
    found: unknown,
    visit: (keys: readonly string[], found: unknown) => void,
    keys: readonly string[] = []
  ): void {
    if (typeof found !== 'object' || found === null) {
      visit(keys, found)
      return
    }
    if (keys.length >= MAX_DEPTH) return
    const isSmall = this.#message.take(Array.isArray(found) ? found.length : 1)
    const entries = isSmall ? Object.entries(found) : []
    if (!this.#message.take(entries.length * STEPS_PER_KEY)) {
      this.#reason ??= 'too many values'
      return
    }
    for (const [key, inner] of entries) this.each(inner, visit, [...keys, key])
  }

  get outcome(): Outcome {
    if (!this.#reason) return { values: this.#values, refused: [] }
    this.#message.valuesLeft += this.#values.length
    return refusedFor(this.#reason)
  }
}
