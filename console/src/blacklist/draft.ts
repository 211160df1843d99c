import type { Schemas } from '../../../tools/client/client.ts'
import { isPattern } from '../role/patterns.ts'

export type Entry = Schemas['BlacklistEntry']
export type Draft = { topic: string; mode: 'block' | 'ignore'; enabled: boolean; reason: string }

export const emptyDraft: Draft = { topic: '', mode: 'block', enabled: true, reason: '' }

export const draftOf = ({ topic, mode, enabled, reason }: Entry): Draft => ({
  ...{ topic, enabled, reason },
  mode: mode === 'ignore' ? 'ignore' : 'block'
})

/** Nobody can publish on other topics. */
export const isTopic = (topic: string): boolean => isPattern(topic) && /^([+#]|\d+\/)/.test(topic)
