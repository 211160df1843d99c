import type { Logger } from 'pino'
import type { BrokenFile, Damage, HistoryFiles } from '../history/files.ts'
import { countText } from '../lib/count-text.ts'
import { isoSecond } from '../lib/unix-time.ts'

/** What an operator must know of a packed file of history: the file, the month, samples and times. */
export function tellBroken(log: Logger, { name, month, samples, first, last, reason }: BrokenFile) {
  log.error(
    { file: name, month, samples, from: isoSecond(first), to: isoSecond(last), reason },
    'a packed file of history is broken: queries that need it fail, everything else works; restore it from a backup, or set it aside with "npm run caracal -- quarantine"'
  )
}

export function tellQuarantined(
  log: Logger,
  { name, month, reason, lost, samples, ...of }: Damage
) {
  const [from, to] = [isoSecond(of.first), isoSecond(of.last)]
  const topics = of.topics.slice(0, MAX_LOGGED_TOPICS)
  log.warn(
    { file: name, month, reason, lost, kept: samples - lost, from, to, topics },
    'a broken file of history was set aside: answers go on without what is lost'
  )
}

const MAX_LOGGED_TOPICS = 100

/** What health says of values that were set aside; undefined when there are none. */
export function quarantineText(files: HistoryFiles | undefined): string | undefined {
  const quarantined = files?.quarantined ?? []
  if (quarantined.length === 0) return undefined
  const lost = quarantined.reduce((sum, file) => sum + file.lost, 0)
  const months = [...new Set(quarantined.map(({ month }) => month))].sort()
  const shown = months.slice(0, MAX_SHOWN_MONTHS).join(', ')
  const more = months.length > MAX_SHOWN_MONTHS ? ', ...' : ''
  return `${countText(lost)} values of ${shown}${more} are in quarantine and missing in answers`
}

const MAX_SHOWN_MONTHS = 6
