import { changeDraft, draftOf, fieldsOf, isConflict, withoutRow } from '../modelx/draft.ts'
import { installationRecord, queryClient } from '../queries.ts'
import { call } from '../session/session.ts'
import { type Installation, readInstallation, showInstallation } from './api.ts'

/** `at`: the key, or the row of a new key, that the platform refused. */
export type Outcome =
  | { state: 'saved' | 'conflict' }
  | { state: 'refused'; at: string; error: Error }

type Key = { key: string; value: string; isProtected: boolean }
type Step = { at: string; write: () => Promise<unknown>; done: () => void }

const PATH = '/api/v2/installation/{installation_id}/meta/{meta_key}'

function write(installation_id: number, { key, value, isProtected }: Key, isNew: boolean) {
  const path = { installation_id, meta_key: key }
  const body = { value, protected: isProtected }
  return call(
    (caracal): Promise<unknown> =>
      isNew ? caracal.post(PATH, { path, body }) : caracal.put(PATH, { path, body })
  )
}

const remove = (installation_id: number, key: string) =>
  call((caracal) => caracal.delete(PATH, { path: { installation_id, meta_key: key } }))

export const metaDraftOf = (id: number): string => `installation/${id}`

/**
 * Each key is written on its own, so that nothing that others wrote to other keys is lost. What is
 * saved leaves the draft at once; what is refused stays in it.
 */
export async function saveMetadata(id: number): Promise<Outcome> {
  const { value: now } = await readInstallation(id)
  queryClient.setQueryData(installationRecord(id).queryKey, now)
  const fields = fieldsOf(now)
  const { edits } = draftOf(metaDraftOf(id))
  if ([...edits].some(([key, edit]) => isConflict(edit, fields.get(key)))) {
    return { state: 'conflict' }
  }
  let outcome: Outcome = { state: 'saved' }
  for (const { at, write, done } of stepsOf(id, now)) {
    try {
      await write()
    } catch (error) {
      outcome = { state: 'refused', at, error: error as Error }
      break
    }
    done()
  }
  showInstallation((await readInstallation(id)).value)
  return outcome
}

function stepsOf(id: number, now: Installation): Step[] {
  const of = metaDraftOf(id)
  const { edits, added } = draftOf(of)
  const there = fieldsOf(now)
  const changed = [...edits].map(
    ([key, { to }]): Step => ({
      at: `key ${key}`,
      write: async () => {
        if (to) await write(id, { key, ...to }, !there.has(key))
        else if (there.has(key)) await remove(id, key)
      },
      done: () =>
        changeDraft(of, (draft) => {
          const rest = new Map(draft.edits)
          rest.delete(key)
          return { ...draft, edits: rest }
        })
    })
  )
  const fresh = added.map(
    ({ row, ...key }): Step => ({
      at: `row ${row}`,
      write: () => write(id, key, true),
      done: () => changeDraft(of, (draft) => withoutRow(draft, row))
    })
  )
  return [...changed, ...fresh]
}
