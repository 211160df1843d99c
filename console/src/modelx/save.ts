import { CaracalError } from '../../../tools/client/client.ts'
import { queryClient } from '../queries.ts'
import { listOf, type Model, type Place, read, removeKey, setType, writeKey } from './api.ts'
import { changeDraft, draftOf, hasConflict, withoutRow } from './draft.ts'

/** `at`: the key, or the row of a new key, that the platform refused. */
export type Outcome =
  | { state: 'saved' | 'conflict' | 'gone' }
  | { state: 'refused'; at: string; error: Error }

/**
 * Each key is written on its own, so that nothing that others wrote to other keys is lost. What is
 * saved leaves the draft at once; what is refused stays in it.
 */
export async function save(place: Place, id: number, of: string): Promise<Outcome> {
  const now = await readAgain(place, id)
  if (!now) return { state: 'gone' }
  if (hasConflict(draftOf(of), now)) return { state: 'conflict' }
  const steps = stepsOf(place, id, of, now)
  for (const [i, { at, write, done }] of steps.entries()) {
    try {
      // Others are told once, with the last change.
      await write(i < steps.length - 1)
    } catch (error) {
      await readAgain(place, id)
      return { state: 'refused', at, error: error as Error }
    }
    done()
  }
  await readAgain(place, id)
  return { state: 'saved' }
}

type Step = { at: string; write: (silent: boolean) => Promise<unknown>; done: () => void }

function stepsOf(place: Place, id: number, of: string, now: Model): Step[] {
  const { type, edits, added } = draftOf(of)
  const steps: Step[] = []
  if (type) {
    steps.push({
      at: 'type',
      write: (silent) => setType(place, id, type.to, silent),
      done: () => changeDraft(of, ({ type: _, ...rest }) => rest)
    })
  }
  for (const [key, { to }] of edits) {
    const isThere = Object.hasOwn(now.meta, key) || Object.hasOwn(now.protected_meta ?? {}, key)
    steps.push({
      at: `key ${key}`,
      write: async (silent) => {
        if (to) {
          await writeKey(place, id, { key, ...to }, { isNew: !isThere, silent })
        } else if (isThere) await removeKey(place, id, key, silent)
      },
      done: () =>
        changeDraft(of, (draft) => {
          const rest = new Map(draft.edits)
          rest.delete(key)
          return { ...draft, edits: rest }
        })
    })
  }
  for (const { row, ...key } of added) {
    steps.push({
      at: `row ${row}`,
      write: (silent) => writeKey(place, id, key, { isNew: true, silent }),
      done: () => changeDraft(of, (draft) => withoutRow(draft, row))
    })
  }
  return steps
}

/** The list of the page has what the platform has now. Undefined: it was deleted. */
async function readAgain(place: Place, id: number): Promise<Model | undefined> {
  const now = await read(place, id).catch((error) => {
    if (error instanceof CaracalError && error.status === 404) return undefined
    throw error
  })
  queryClient.setQueryData(listOf(place).queryKey, (list: Model[] | undefined) =>
    list?.flatMap((one) => (one.id === id ? (now ?? []) : one))
  )
  return now
}
