import type { Schemas } from '../../../tools/client/client.ts'
import { readNumber } from '../numbers.ts'
import { type CronTexts, cronFields, readField } from './cron.ts'

export type Schedule = Schemas['Schedule']
export type ScheduleBody = CronTexts & Pick<Schedule, 'active' | 'topic' | 'value' | 'executor'>

/** A schedule as it is typed. */
export type Draft = Omit<ScheduleBody, 'value'> & { value: string }

export const emptyDraft: Draft = {
  ...{ active: true, topic: '', value: '', executor: 'gateway' },
  ...{ minute: '0', hour: '8', day_of_month: '*', day_of_week: '*', month: '*' }
}

export const fieldsOf = (schedule: Schedule): ScheduleBody => {
  const { active, topic, value, executor } = schedule
  const { minute, hour, day_of_month, day_of_week, month } = schedule
  return { active, topic, value, executor, minute, hour, day_of_month, day_of_week, month }
}

export const draftOf = (schedule: Schedule): Draft => ({
  ...fieldsOf(schedule),
  value: String(schedule.value)
})

export const isTopic = (topic: string): boolean => /^[^+#\p{Cc}]+$/u.test(topic)

/** Undefined: a field is missing or cannot be read. */
export function bodyOf(draft: Draft): ScheduleBody | undefined {
  const value = readNumber(draft.value, Number.NaN)
  const topic = draft.topic.trim()
  const executor = draft.executor.trim()
  const canRead = cronFields.every((field) => readField(field, draft[field]))
  if (value === undefined || Number.isNaN(value) || !canRead) return undefined
  if (!isTopic(topic) || executor === '') return undefined
  return { ...draft, topic, executor, value }
}

/** The topic without the client id of the installation. */
export const shortTopic = (topic: string, clientId: number): string =>
  topic.startsWith(`${clientId}/`) ? topic.slice(topic.indexOf('/') + 1) : topic

export type Runner = 'server' | 'gateway' | 'instead' | 'own'

/** Who runs it. A gateway that reports the capability runs its own schedules; else the platform does. */
export function runnerOf(executor: string, capabilities: readonly string[]): Runner {
  if (executor === 'server') return 'server'
  if (executor !== 'gateway') return 'own'
  return capabilities.includes('schedule') ? 'gateway' : 'instead'
}
