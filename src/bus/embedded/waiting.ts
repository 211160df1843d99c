const MAX_AT_ONCE = 16

/** Works on several at once, but never on all. */
export async function eachOf<T>(
  all: IteratorObject<T>,
  work: (one: T) => Promise<void>
): Promise<void> {
  const workNext = async () => {
    for (const one of all) await work(one)
  }
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, workNext))
}
