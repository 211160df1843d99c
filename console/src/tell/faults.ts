import { readDuration } from '../rule/form.ts'
import type { Settings } from './settings.ts'

export const quietFault = ({ quiet }: Pick<Settings, 'quiet'>): boolean =>
  quiet !== null && quiet.from === quiet.to

/** Hours may go over midnight. */
export function digestFault({ quiet, digest }: Pick<Settings, 'quiet' | 'digest'>): boolean {
  if (!quiet || digest === '') return false
  const { from, to } = quiet
  return from < to ? digest >= from && digest < to : digest >= from || digest < to
}

/** Whether the platform would take it, as far as the page can tell. */
export function isRight(draft: Settings): boolean {
  const { quiet, channels, webhook, escalate } = draft
  const hasTimes = !quiet || (quiet.from !== '' && quiet.to !== '')
  const hasAddress = !channels.includes('webhook') || webhook !== ''
  const hasNext = !escalate || (readDuration(escalate.after) !== undefined && escalate.user_id > 0)
  return hasTimes && !quietFault(draft) && !digestFault(draft) && hasAddress && hasNext
}
