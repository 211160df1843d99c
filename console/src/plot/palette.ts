/**
 * Eight colours that stay apart for eyes that see less red, green or blue, and on the ground of
 * their theme. The same place in both lists has about the same hue.
 */
export const palette = {
  light: [
    ...['#598efc', '#b28d16', '#9347ad', '#025563'],
    ...['#e4609d', '#5a6e0a', '#721503', '#470797']
  ],
  dark: [
    ...['#94abfc', '#e9cf6c', '#a143ad', '#a1eef4'],
    ...['#ed88a4', '#a4a302', '#c74000', '#7366f0']
  ]
} as const

export const COLORS = palette.light.length

/** A line with a colour that is taken already has another pattern. The first is without gaps. */
export const dashes: readonly (readonly number[])[] = [[], [7, 3], [2, 3]]

/** How the same line looks some weeks before. */
export const olderLook = { opacity: '99', dash: [4, 4], width: 1.2 } as const

/** The place of a line in the palette, and its pattern. */
export type Look = { color: number; dash: number }

/**
 * The looks of the lines of one plot. A topic has the colour of its function's place among all
 * functions, so that it is the same on every page. Only if two lines of a plot would have the same
 * colour, the later one takes the next free colour, or another pattern when none is free.
 */
export function looksOf(
  topics: readonly string[],
  functions: readonly { id: number; topic: string }[]
): Map<string, Look> {
  const places = new Map<string, number>()
  // The oldest function of a topic counts, so that new functions change nothing.
  for (const [place, { topic }] of functions.toSorted((a, b) => a.id - b.id).entries()) {
    if (!places.has(topic)) places.set(topic, place)
  }
  const placeOf = (topic: string): number => places.get(topic) ?? 2 ** 32 + hash(topic)
  const inOrder = topics.toSorted((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1))
  const taken = new Set<number>()
  const looks = new Map<string, Look>()
  for (const topic of inOrder) {
    if (taken.size % COLORS === 0) taken.clear()
    let color = placeOf(topic) % COLORS
    while (taken.has(color)) color = (color + 1) % COLORS
    taken.add(color)
    looks.set(topic, { color, dash: Math.floor(looks.size / COLORS) % dashes.length })
  }
  return looks
}

/** FNV-1a: the same number for the same text. */
function hash(text: string): number {
  let sum = 0x811c9dc5
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193)
  return sum >>> 0
}
