/** Letters without case and accents: `Sjöstaden` is found by `sjos`. */
export const folded = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()

/**
 * How well all words of `query` are in `text`; undefined if one is not. Both are folded. `isFuzzy`:
 * other letters may stand between those of a word. In a long text that would be chance.
 */
export function score(query: string, text: string, { isFuzzy = false } = {}): number | undefined {
  let sum = 0
  for (const word of query.split(/\s+/)) {
    if (word === '') continue
    const points = wordScore(word, text) ?? (isFuzzy ? inOrder(word, text) : undefined)
    if (points === undefined) return undefined
    sum += points
  }
  // Of equals, the shorter text is nearer to what was typed.
  return sum - text.length / 1000
}

function wordScore(word: string, text: string): number | undefined {
  const at = text.indexOf(word)
  if (at === 0) return text.length === word.length ? 6 : 5
  if (at > 0) return text.search(new RegExp(`[^\\p{L}\\p{N}]${escaped(word)}`, 'u')) >= 0 ? 4 : 3
  return undefined
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')

const MIN_LETTERS = 3
/** Letters too far apart are chance. */
const MAX_SPREAD = 3

/** The letters of the word in their order, with others between them. */
function inOrder(word: string, text: string): number | undefined {
  if (word.length < MIN_LETTERS) return undefined
  const begin = text.indexOf(word.charAt(0))
  let at = begin
  for (const letter of word) {
    at = text.indexOf(letter, at)
    if (at < 0) return undefined
    at++
  }
  const spread = (at - begin) / word.length
  return spread > MAX_SPREAD ? undefined : 2 / spread
}
