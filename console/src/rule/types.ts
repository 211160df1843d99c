import type { Schemas } from '../../../tools/client/client.ts'

export type Rule = Schemas['Rule']
/** A rule of either. */
export type AnyRule = RuleFields & { id: number }
export type RuleFields = Omit<Rule, 'id' | 'installation_id'>
export type When = Schemas['RuleWhen']
/** What a trial needs. */
export type Definition = Pick<RuleFields, 'on' | 'when' | 'for' | 'hysteresis' | 'schedule'>
export type Tried = Schemas['RuleTrial']['alarms'][number]
