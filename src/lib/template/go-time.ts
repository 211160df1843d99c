import { zoneOffset } from '../calendar.ts'
import { HOUR, MINUTE, SECOND } from '../unix-time.ts'

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December']
]
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** The range of years with four digits, minus a day for local time. */
const FIRST_MS = Date.parse('1000-01-02T00:00:00Z')
const LAST_MS = Date.parse('9999-12-30T00:00:00Z')

/** [Go time] The parts of a layout. A longer part comes before a part that it begins with. */
const PARTS =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|002|0[1-6]|15|2006|__2|_2(?!006)|[1-5]|PM|pm|[-Z]07:00|[-Z]0700|[-Z]07|[.,](?:0{1,9}|9{1,9})(?!\d)/g

/** A moment in a time zone, with what templates use of Go's `time.Time`. */
export class GoTime {
  readonly ms: number
  readonly #offset: number
  /** The local time, stored as if it were UTC. */
  readonly #wall: Date
  readonly #isUtc: boolean

  /** Undefined if there is no such moment or its year does not have four digits. */
  static at(ms: number, zone: string): GoTime | undefined {
    const whole = Math.round(ms)
    return whole >= FIRST_MS && whole <= LAST_MS ? new GoTime(whole, zone) : undefined
  }

  private constructor(ms: number, zone: string) {
    this.ms = ms
    this.#offset = zoneOffset(zone, ms)
    this.#wall = new Date(ms + this.#offset)
    this.#isUtc = /^(etc\/)?(utc|uct|zulu|universal)$/i.test(zone)
  }

  /** The methods of a time, except `Format`; undefined if there is no such method. */
  part(name: string): string | bigint | undefined {
    const wall = this.#wall
    switch (name) {
      case 'String':
        return String(this)
      case 'Unix':
        return BigInt(Math.floor(this.ms / SECOND))
      case 'Year':
        return BigInt(wall.getUTCFullYear())
      case 'Month':
        return MONTHS[wall.getUTCMonth()]
      case 'Day':
        return BigInt(wall.getUTCDate())
      case 'Hour':
        return BigInt(wall.getUTCHours())
      case 'Minute':
        return BigInt(wall.getUTCMinutes())
      case 'Second':
        return BigInt(wall.getUTCSeconds())
      case 'Weekday':
        return DAYS[wall.getUTCDay()]
      default:
        return undefined
    }
  }

  toString(): string {
    return this.format('2006-01-02 15:04:05.999 -0700 MST')
  }

  format(layout: string): string {
    return layout.replace(PARTS, (part) => this.#shown(part))
  }

  #shown(part: string): string {
    const wall = this.#wall
    const month = wall.getUTCMonth()
    const day = wall.getUTCDate()
    const hour = wall.getUTCHours()
    switch (part) {
      case 'January':
        return MONTHS[month] ?? ''
      case 'Jan':
        return (MONTHS[month] ?? '').slice(0, 3)
      case '1':
        return String(month + 1)
      case '01':
        return padded(month + 1, 2)
      case 'Monday':
        return DAYS[wall.getUTCDay()] ?? ''
      case 'Mon':
        return (DAYS[wall.getUTCDay()] ?? '').slice(0, 3)
      case '2':
        return String(day)
      case '_2':
        return padded(day, 2, ' ')
      case '02':
        return padded(day, 2)
      case '002':
        return padded(this.#yearDay(), 3)
      case '__2':
        return padded(this.#yearDay(), 3, ' ')
      case '15':
        return padded(hour, 2)
      case '3':
        return String(hour % 12 || 12)
      case '03':
        return padded(hour % 12 || 12, 2)
      case '4':
        return String(wall.getUTCMinutes())
      case '04':
        return padded(wall.getUTCMinutes(), 2)
      case '5':
        return String(wall.getUTCSeconds())
      case '05':
        return padded(wall.getUTCSeconds(), 2)
      case '2006':
        return padded(wall.getUTCFullYear(), 4)
      case '06':
        return padded(wall.getUTCFullYear() % 100, 2)
      case 'PM':
        return hour < 12 ? 'AM' : 'PM'
      case 'pm':
        return hour < 12 ? 'am' : 'pm'
      case 'MST':
        return this.#isUtc ? 'UTC' : offsetText(this.#offset, '').replace(/00$/, '')
      default:
        return /[-Z]/.test(part[0] ?? '') ? this.#zone(part) : this.#fraction(part)
    }
  }

  #zone(part: string): string {
    if (part.startsWith('Z') && this.#offset === 0) return 'Z'
    const text = offsetText(this.#offset, part.includes(':') ? ':' : '')
    return part.length === 3 ? text.slice(0, 3) : text
  }

  #fraction(part: string): string {
    const digits = part.length - 1
    const text = padded(this.#wall.getUTCMilliseconds(), 3).padEnd(9, '0').slice(0, digits)
    if (part[1] === '0') return part[0] + text
    const trimmed = text.replace(/0+$/, '')
    return trimmed === '' ? '' : part[0] + trimmed
  }

  #yearDay(): number {
    const start = Date.UTC(this.#wall.getUTCFullYear(), 0)
    return Math.floor((this.#wall.getTime() - start) / (24 * HOUR)) + 1
  }
}

const padded = (number: number, width: number, filler = '0'): string =>
  String(number).padStart(width, filler)

function offsetText(offset: number, separator: string): string {
  const minutes = Math.floor(Math.abs(offset) / MINUTE)
  const sign = offset < 0 ? '-' : '+'
  return `${sign}${padded(Math.floor(minutes / 60), 2)}${separator}${padded(minutes % 60, 2)}`
}
