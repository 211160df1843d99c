/** What devices measure most, with the unit that is proposed. */
export const kinds = {
  temperature: '°C',
  humidity: '%',
  co2: 'ppm',
  power: 'W',
  energy: 'kWh',
  voltage: 'V',
  battery: '%',
  light: 'lx',
  door: '',
  motion: '',
  switch: '',
  other: ''
} as const
export type Kind = keyof typeof kinds

export const isKind = (name: string): name is Kind => Object.hasOwn(kinds, name)

/** A word of a topic that every broker and script takes: `Hall, östra` -> `hall_ostra`. */
export const wordOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{Mn}/gu, '')
    .replaceAll(/[^a-z0-9-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')

export const proposedTopic = (kind: Kind, name: string): string =>
  `obj/${kind}/${wordOf(name) || 'device'}`

/** As in src/lib/topic.ts; the client id is in front. */
export const MAX_BYTES = 1000
const MAX_LEVELS = 63

/** Whether values on the topic are stored. */
export function isValueTopic(topic: string): boolean {
  const isPlain = /^obj\/[^\p{Cc}+#]+$/u.test(topic)
  const bytes = new TextEncoder().encode(topic).length
  return isPlain && bytes <= MAX_BYTES && topic.split('/').length <= MAX_LEVELS
}
