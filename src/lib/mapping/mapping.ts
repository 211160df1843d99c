import { compileValues, type DeclaredReader, type Fault } from './declared.ts'
import { type LevelFilter, levelsMatch, parseFilter } from './filter.ts'
import { homeassistant } from './makes/homeassistant.ts'
import { chirpstack, ttn } from './makes/lorawan.ts'
import { type Command, type Make, refusedFor } from './makes/make.ts'
import { shelly } from './makes/shelly.ts'
import { tasmota } from './makes/tasmota.ts'
import { zigbee2mqtt } from './makes/zigbee2mqtt.ts'
import type { MappedMessage } from './message.ts'
import { numberOf } from './number.ts'
import type { Outcome, ValueRule } from './rule.ts'

/** The makes that need no declaration. */
const makes = { tasmota, zigbee2mqtt, shelly, homeassistant, chirpstack, ttn } as const
export type MakeName = keyof typeof makes

/** How messages of an installation become values. [ADR-0063] */
export type MappingRule = {
  /** Empty: the values are declared. */
  make: MakeName | ''
  /** What follows the client id. Empty: all messages of the make. */
  filter: string
  values: readonly ValueRule[]
}

/** A mapping that is ready for messages. */
export type CompiledMapping = {
  /** Undefined: the message is not for this mapping. */
  read(message: MappedMessage): Outcome | undefined
  /**
   * What the make expects when somebody writes to the object topic; `levels` are those after `obj`.
   */
  command(levels: readonly string[], value: number): Command | undefined
}

export function compileMapping({ make, filter, values }: MappingRule): CompiledMapping | Fault {
  const wanted = filter === '' ? undefined : parseFilter(filter)
  if (typeof wanted === 'string') return { at: 'filter', what: wanted }
  if (make !== '') {
    if (values.length > 0) return { at: 'values', what: 'must be empty beside make' }
    if (!Object.hasOwn(makes, make)) return { at: 'make', what: 'is not known' }
    return compileMake(makes[make], wanted)
  }
  if (!wanted) return { at: 'filter', what: 'must be given, or make' }
  const read = compileValues(values)
  if (typeof read !== 'function') return read
  return { read: (message) => readIf(wanted, read, message), command: () => undefined }
}

const compileMake = (make: Make, wanted: LevelFilter | undefined): CompiledMapping => ({
  read: (message) =>
    wanted && !levelsMatch(wanted, message.levels)
      ? undefined
      : readGuarded(message, (message) => make.read(message)),
  command(levels, value) {
    const command = make.command?.(levels, value)
    const isWanted = ({ sources }: Command) =>
      !wanted || sources.some((source) => levelsMatch(wanted, source.split('/')))
    return command && isWanted(command) ? command : undefined
  }
})

const readIf = (wanted: LevelFilter, read: DeclaredReader, message: MappedMessage) =>
  levelsMatch(wanted, message.levels) ? readGuarded(message, read) : undefined

function readGuarded(
  message: MappedMessage,
  read: (message: MappedMessage) => Outcome | undefined
): Outcome | undefined {
  if (message.isEmpty) return undefined
  const outcome = read(message)
  return outcome && message.isTooLarge ? refusedFor('too large') : outcome
}

/** The value of a command: `{value}`, or a plain value. Undefined: it has none. */
export function commandValue(payload: Buffer): number | undefined {
  if (payload.length > MAX_COMMAND_BYTES) return undefined
  try {
    const parsed: unknown = JSON.parse(payload.toString('utf8'))
    const isReading =
      typeof parsed === 'object' && parsed !== null && Object.hasOwn(parsed, 'value')
    return numberOf(isReading ? (parsed as { value: unknown }).value : parsed, undefined)
  } catch {
    return undefined
  }
}

const MAX_COMMAND_BYTES = 1024
