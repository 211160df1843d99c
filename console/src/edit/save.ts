import { CaracalError, type Tagged } from '../../../tools/client/client.ts'

/** Somebody changed the object after the caller began to edit it. Nothing was saved. */
export class ChangedMeanwhile extends Error {}

type Saving<T> = {
  read: () => Promise<Tagged<T>>
  /** Whether it is what the caller's changes were made on. */
  isKnown: (now: T) => boolean
  /** Sends the change with the tag as `If-Match`. `now` is what was read. */
  write: (etag: string, now: T) => Promise<T>
  /** Shows what is there now. */
  show: (now: T) => void
}

/**
 * Saves a change only if the object is still as the caller saw it. Otherwise it shows the object as it
 * is now, and the page says what differs. [ADR-0069]
 */
export async function saveOnSeen<T>({ read, isKnown, write, show }: Saving<T>): Promise<T> {
  const { value, etag } = await read()
  if (!isKnown(value)) return refuse(value, show)
  try {
    return await write(etag, value)
  } catch (error) {
    const isStale = error instanceof CaracalError && error.status === 412
    if (!isStale) throw error
    return refuse((await read()).value, show)
  }
}

function refuse<T>(now: T, show: (now: T) => void): never {
  show(now)
  throw new ChangedMeanwhile()
}
