import type { Logger } from 'pino'
import { endsWithin } from '../lib/within.ts'

/** One part of the platform. Parts open in the order of the list and close in reverse order. */
export type Part<All, T> = {
  /** May use the given values and every part before it in the list. */
  open(parts: All): T | Promise<T>
  close?(part: T, parts: All): unknown
  /** The longest time to close. A part that waits for a server must not delay the others. */
  closeWithinMs?: number
}

export type PartList<All, Name extends keyof All> = {
  readonly [name in Name]: Part<All, All[name]>
}

export type Opened<All> = {
  parts: All
  /** `close` runs before the parts that are already open are closed. */
  onStop(close: () => unknown): void
  stop(): Promise<void>
}

/** Opens a list of parts. If one fails, the open parts are closed again. */
export async function openParts<All extends { log: Logger }, Name extends keyof All>(
  given: Omit<All, Name>,
  list: PartList<All, Name>
): Promise<Opened<All>> {
  const opened: Record<string | symbol, unknown> = { ...given }
  const parts = new Proxy(opened, {
    get(target, name) {
      if (name in target) return target[name]
      throw new Error(`the part ${String(name)} is used before it is open`)
    }
  }) as All
  const closers: { name: string; close: () => unknown }[] = []
  const stop = async () => {
    for (let closer = closers.pop(); closer; closer = closers.pop()) {
      const { name, close } = closer
      // A part that fails to close must not keep the others open.
      await Promise.resolve()
        .then(close)
        .catch((err) => parts.log.error({ err, part: name }, 'a part did not stop cleanly'))
    }
  }
  try {
    for (const [name, part] of Object.entries<Part<All, All[Name]>>(list)) {
      const one = await part.open(parts)
      opened[name] = one
      const { close, closeWithinMs } = part
      if (!close) continue
      const closeIt = () => close(one, parts)
      closers.push({
        name,
        close:
          closeWithinMs === undefined
            ? closeIt
            : () => endsWithin(closeWithinMs, Promise.resolve(closeIt()))
      })
    }
  } catch (error) {
    await stop()
    throw error
  }
  return { parts, stop, onStop: (close) => void closers.push({ name: 'a guest', close }) }
}
