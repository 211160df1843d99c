/** Asks again after some time, or after a failure. */
export function remembered<T>(
  forMs: number,
  clock: () => number,
  ask: () => Promise<T>
): () => Promise<T> {
  let known: { answer: Promise<T>; at: number } | undefined
  return () => {
    const now = clock()
    if (!known || now - known.at >= forMs) {
      const answer = ask()
      answer.catch(() => {
        known = undefined
      })
      known = { answer, at: now }
    }
    return known.answer
  }
}
