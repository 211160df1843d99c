import type { Severity } from '../../../lib/alarm/rule.ts'
import { zoneOffset } from '../../../lib/calendar.ts'
import type { AlarmRow } from '../alarms.ts'
import { stateOf } from '../list.ts'

/** What a message tells. */
export type Told = {
  /** The most severe first. There may be more. */
  alarms: readonly AlarmRow[]
  total: number
  /** Those that were over before anybody could be told. They are not in `alarms` and `total`. */
  past: readonly AlarmRow[]
  over: number
  /** The user is told because nobody acknowledged some of them. */
  isEscalated: boolean
  /** By installation. */
  places: ReadonlyMap<number, Place>
}
export type Place = { name: string; zone: string }

/** In a mail. */
const MAX_LINES = 50
const MAX_LINE_CHARACTERS = 300
const MAX_SMS_CHARACTERS = 300
const MAX_PUSH_CHARACTERS = 500

const order: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 }

export const bySeverity = (a: AlarmRow, b: AlarmRow): number =>
  order[a.severity] - order[b.severity] || a.id - b.id

const counted = (count: number, one: string, many: string): string =>
  count === 1 ? `1 ${one}` : `${count} ${many}`

/** One line, without characters that could change how a message is read. */
const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()

/** Does not end within a pair of surrogates. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

function textOf({ message, rule_id, topic, value }: AlarmRow): string {
  const text = plain(message)
  if (text !== '') return text
  if (rule_id === 0) return 'the gateway is not connected'
  return value === null ? topic : `${topic} = ${value}`
}

/** As `2026-11-18 08:20`, by the clocks of the zone. */
const momentText = (at: number, zone: string): string =>
  new Date(at + zoneOffset(zone, at)).toISOString().slice(0, 16).replace('T', ' ')

const UNKNOWN: Place = { name: '', zone: 'UTC' }

function lineOf(alarm: AlarmRow, { zone }: Place): string {
  const raised = momentText(alarm.raised_at, zone)
  const state = stateOf(alarm)
  const when =
    alarm.cleared_at === null
      ? `${state}, since ${raised}`
      : `cleared ${momentText(alarm.cleared_at, zone)}, raised ${raised}`
  return cut(`${alarm.severity}: ${textOf(alarm)} (${when})`, MAX_LINE_CHARACTERS)
}

const overLine = (over: number): string =>
  `${counted(over, 'alarm was', 'alarms were')} raised and cleared while nobody could be told`

/** What it is about, in one line. */
export function subjectOf({ alarms, total, over, isEscalated, places }: Told): string {
  const [first] = alarms
  if (!first) return overLine(over)
  const isOver = alarms.every(({ cleared_at }) => cleared_at !== null)
  const word = isOver ? 'cleared' : (alarms.find((one) => one.cleared_at === null)?.severity ?? '')
  const ids = new Set(alarms.map(({ installation_id }) => installation_id))
  const where =
    ids.size === 1
      ? plain(places.get(first.installation_id)?.name ?? '')
      : counted(ids.size, 'installation', 'installations')
  const what = total === 1 ? textOf(first) : counted(total, 'alarm', 'alarms')
  const urgent = isEscalated ? 'not acknowledged, ' : ''
  return cut(`${urgent}${word}: ${where}: ${what}`, MAX_LINE_CHARACTERS)
}

/** The text of a mail. */
export function mailText(told: Told, publicUrl: string): string {
  const { alarms, total, over, places } = told
  const shown = alarms.slice(0, MAX_LINES)
  const lines: string[] = []
  for (const [id, some] of Map.groupBy(shown, ({ installation_id }) => installation_id)) {
    const place = places.get(id) ?? UNKNOWN
    lines.push(cut(plain(place.name), MAX_LINE_CHARACTERS))
    for (const alarm of some) lines.push(`- ${lineOf(alarm, place)}`)
    lines.push('')
  }
  if (total > shown.length) lines.push(`and ${total - shown.length} more`, '')
  if (over > 0) lines.push(overLine(over), '')
  return [...lines, publicUrl, ''].join('\n')
}

export const smsText = (told: Told): string =>
  cut(
    [subjectOf(told), ...(told.over > 0 ? [overLine(told.over)] : [])].join('\n'),
    MAX_SMS_CHARACTERS
  )

/** The lines of a push message. */
export function pushText({ alarms, total, over, places }: Told): string {
  const lines = alarms
    .slice(0, 3)
    .map((alarm) => lineOf(alarm, places.get(alarm.installation_id) ?? UNKNOWN))
  if (total > lines.length) lines.push(`and ${total - lines.length} more`)
  if (over > 0) lines.push(overLine(over))
  return cut(lines.join('\n'), MAX_PUSH_CHARACTERS)
}
