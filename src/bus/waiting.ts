import { setTimeout as wait } from 'node:timers/promises'

const atOnce = 16

/** Several at once, and never all. */
export async function eachOf<T>(
  all: IteratorObject<T>,
  work: (one: T) => Promise<void>
): Promise<void> {
  const workNext = async () => {
    for (const one of all) await work(one)
  }
  await Promise.all(Array.from({ length: atOnce }, workNext))
}

export async function endsWithin(ended: Promise<unknown>, ms: number): Promise<boolean> {
  const timeout = new AbortController()
  const late = wait(ms, false, { signal: timeout.signal }).catch(() => false)
  const isInTime = await Promise.race([ended.then(() => true), late])
  timeout.abort()
  return isInTime
}
