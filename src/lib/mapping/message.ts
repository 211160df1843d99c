import type { UnixMs } from '../unix-time.ts'
import type { Arrival } from './moment.ts'
import type { Steps } from './path.ts'
import { MAX_DERIVED_VALUES, MAX_MAPPED_BYTES, MAX_STEPS } from './rule.ts'

/** So many steps take about as long as a plain sample does. */
const STEPS_PER_MESSAGE = 500

/** A payload that begins like JSON and is none, or that is too large to be read. */
export const NOT_JSON = Symbol('not json')

/** A message that mappings read. It is parsed once, and all of them share its limits. */
export class MappedMessage implements Arrival, Steps {
  /** What follows the client id. */
  readonly topic: string
  readonly levels: readonly string[]
  readonly arrival: UnixMs
  /** Where the installation is. */
  readonly zone: string
  readonly #payload: Buffer
  #content: { found: unknown } | undefined
  #steps = MAX_STEPS
  /** How many more values may be made of it. */
  valuesLeft = MAX_DERIVED_VALUES

  constructor(topic: string, payload: Buffer, { arrival, zone }: Arrival) {
    this.topic = topic
    this.levels = topic.split('/')
    this.#payload = payload
    this.arrival = arrival
    this.zone = zone
  }

  get isTooLarge(): boolean {
    return this.#payload.length > MAX_MAPPED_BYTES
  }

  /** A retained message is removed by an empty one. */
  get isEmpty(): boolean {
    return this.#payload.length === 0
  }

  /** What the JSON says, or the text itself if it is no JSON. */
  get content(): unknown {
    this.#content ??= {
      found: this.isTooLarge ? NOT_JSON : contentOf(this.#payload.toString('utf8'))
    }
    return this.#content.found
  }

  /** How many messages it counts as. Reading one through many mappings is more work. */
  get messages(): number {
    const used = Math.min(MAX_STEPS - this.#steps, MAX_STEPS)
    return 1 + Math.floor(used / STEPS_PER_MESSAGE)
  }

  /** Nothing more is read of it. */
  get isSpent(): boolean {
    return this.#steps < 0
  }

  take(count: number): boolean {
    this.#steps -= count
    return this.#steps >= 0
  }
}

function contentOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return /^\s*[[{]/.test(text) ? NOT_JSON : text.trim()
  }
}
