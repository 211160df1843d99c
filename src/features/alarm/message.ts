import {
  newBudget,
  parseTemplate,
  renderTemplate,
  TemplateError,
  valueFrom
} from '../../lib/template/template.ts'
import { toSeconds, unixMs } from '../../lib/unix-time.ts'
import type { NewAlarm } from './alarms.ts'

/** Longer messages are cut. */
const MAX_MESSAGE_CHARACTERS = 4096

/** The text of an alarm: a template of the notifications, in which `.payload` is the alarm's row. */
export function messageOf(
  template: string,
  alarm: Omit<NewAlarm, 'message' | 'isTold'> & { id: number },
  zone: string
): string {
  if (!template.includes('{{')) return template
  const cleared = alarm.cleared_at ?? null
  const payload = {
    id: whole(alarm.id),
    rule_id: whole(alarm.rule_id),
    installation_id: whole(alarm.installation_id),
    topic: alarm.topic,
    severity: alarm.severity,
    state: cleared === null ? 'raised' : 'cleared',
    raised_at: toSeconds(unixMs(alarm.raised_at)),
    acknowledged_at: null,
    acknowledged_by: null,
    note: '',
    cleared_at: cleared === null ? null : toSeconds(unixMs(cleared)),
    value: alarm.value
  }
  const budget = newBudget()
  try {
    const data = valueFrom({ payload })
    return renderTemplate(parseTemplate(template, budget), data, { zone, budget }).slice(
      0,
      MAX_MESSAGE_CHARACTERS
    )
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    // The alarm is more important than its text.
    return template.slice(0, MAX_MESSAGE_CHARACTERS)
  }
}

/** Templates tell whole numbers from others. */
const whole = (number: number): bigint => BigInt(number)
