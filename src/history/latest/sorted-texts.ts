import type { Turns } from '../../lib/turns.ts'

/** So many texts are sorted in one step. */
const TEXTS_PER_RUN = 500

/** The texts sorted, without duplicates. Other work gets turns in between. */
export async function sortedTexts(texts: readonly string[], turns: Turns): Promise<string[]> {
  let runs: string[][] = []
  for (let start = 0; start < texts.length; start += TEXTS_PER_RUN) {
    runs.push([...new Set(texts.slice(start, start + TEXTS_PER_RUN))].sort())
    if (turns.isOver(TEXTS_PER_RUN)) await turns.next()
  }
  while (runs.length > 1) {
    const longer: string[][] = []
    for (let i = 0; i < runs.length; i += 2) {
      longer.push(await mergedTexts(runs[i] ?? [], runs[i + 1] ?? [], turns))
    }
    runs = longer
  }
  return runs[0] ?? []
}

/** Merges two sorted lists without duplicates. */
export async function mergedTexts(
  a: readonly string[],
  b: readonly string[],
  turns: Turns
): Promise<string[]> {
  const all: string[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]]
    if (right === undefined || (left !== undefined && left <= right)) {
      if (left !== undefined) all.push(left)
      if (left === right) j++
      i++
    } else {
      all.push(right)
      j++
    }
    if (turns.isOver()) await turns.next()
  }
  return all
}
