import type { Turns } from './turns.ts'

/** Texts that are sorted at once. */
const RUN = 500

/** The texts in order, each once; others have a turn in between however many they are. */
export async function sortedTexts(texts: readonly string[], turns: Turns): Promise<string[]> {
  let runs: string[][] = []
  for (let start = 0; start < texts.length; start += RUN) {
    runs.push([...new Set(texts.slice(start, start + RUN))].sort())
    if (turns.isOver(RUN)) await turns.next()
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

/** Both are in order; what is in both is there once. */
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
