import type { UnixMs } from '../unix-time.ts'

/** How the time of a value is written in a message. `iso` without a zone is local time. */
export type TimestampFormat = 's' | 'ms' | 'iso'

/** How one value is read, and the object topic it goes to. [ADR-0063] */
export type ValueRule = {
  /** Empty: the payload itself. */
  path: string
  topic: string
  /** Numbers by word. */
  table: Readonly<Record<string, number>>
  factor: number
  offset: number
  unit: string
  timestamp: { path: string; format: TimestampFormat } | null
}

export const MAX_VALUE_RULES = 100
export const MAX_TABLE_WORDS = 100
export const MAX_PATH_CHARACTERS = 512
export const MAX_PATH_KEYS = 16
export const MAX_PATH_WILDCARDS = 4
/** Larger messages are not mapped. Parsing one takes about a millisecond. */
export const MAX_MAPPED_BYTES = 64 * 1024
/** From one message, by all mappings together. */
export const MAX_DERIVED_VALUES = 1000
/** Of the work for one message, by all mappings together. A step takes less than a microsecond. */
export const MAX_STEPS = 20_000
/** To make a value, with its topic and its time. */
export const STEPS_PER_VALUE = 10

/** A value that a mapping made of a message. */
export type DerivedValue = {
  /** Without the client id. */
  topic: string
  value: number
  timestamp: UnixMs
  unit: string
  /** The name of the function that shows it; empty: it has the name of its topic. */
  name: string
  /** Whether the make takes commands for it. */
  isWritable: boolean
}

/** Why a mapping made nothing of a message. */
export type Refused = { path: string; reason: string }

/** If anything is refused, there are no values. */
export type Outcome = { values: readonly DerivedValue[]; refused: readonly Refused[] }
