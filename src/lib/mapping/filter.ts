import { everyBrokerTakesFilter } from '../topic.ts'

/** A filter of what follows the client id, as its levels. */
export type LevelFilter = readonly string[]

/** Where keys without another prefix are mounted. */
export const DEFAULT_MOUNT = 'dev'

/** Values, commands, news of the platform and answers to commands are never mapped. */
const OWN_LEVELS = ['obj', 'set', 'evt', 'answer']

/** A text is the reason why the filter is wrong. */
export function parseFilter(text: string): LevelFilter | string {
  if (!everyBrokerTakesFilter(text)) return 'must be an MQTT topic filter'
  const levels = text.split('/')
  if (OWN_LEVELS.includes(levels[0] ?? '')) {
    return `must not begin with ${levels[0]}: such messages are not mapped`
  }
  return levels
}

/** Whether mappings may read a message. `topic` is what follows the client id. */
export const isMappable = (topic: string): boolean => {
  const end = topic.indexOf('/')
  const first = end < 0 ? topic : topic.slice(0, end)
  return first !== '' && !OWN_LEVELS.includes(first)
}

/** [MQTT 4.7] As `topicMatches`, for levels that are split already. */
export function levelsMatch(filter: LevelFilter, levels: readonly string[]): boolean {
  for (let i = 0; i < filter.length; i++) {
    const want = filter[i]
    if (want === '#') return true
    if (i >= levels.length) return false
    if (want !== '+' && want !== levels[i]) return false
  }
  return filter.length === levels.length
}
