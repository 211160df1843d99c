import type { Tagged } from '../../../tools/client/client.ts'
import { type Drafts, useDraftOf } from '../drafts.ts'
import { saveOnSeen } from '../edit/save.ts'
import { useEditing } from '../frame/EditorActions.tsx'
import { queryClient } from '../queries.ts'
import { told } from './told.ts'

type Of<T extends { id: number }, D, B> = {
  drafts: Drafts<D>
  entry: T | undefined
  draftOf: (entry: T) => D
  empty: D
  queryKey: readonly unknown[]
  read: (id: number) => Promise<Tagged<T>>
  create: (body: B) => Promise<T>
  update: (id: number, body: B, etag: string) => Promise<T>
  remove: (id: number) => Promise<unknown>
  permission: (work: 'save' | 'delete') => string
  /** Why the platform refuses one who has the permission. */
  refused: string
  close: () => void
}

/** The draft of an entry, and how it is saved and deleted. */
export function useEntry<T extends { id: number }, D, B>(parts: Of<T, D, B>) {
  const { drafts, entry, draftOf, queryKey, close } = parts
  const of = String(entry?.id ?? 'new')
  const saved = entry ? draftOf(entry) : parts.empty
  const [draft, change] = useDraftOf(drafts, of, saved)
  const { fault, busy, run } = useEditing(
    () => queryClient.invalidateQueries({ queryKey }),
    parts.permission
  )
  const show = (now: T) =>
    queryClient.setQueryData(queryKey, (list: T[] | undefined) => {
      if (!list?.some(({ id }) => id === now.id)) return list && [...list, now]
      return list.map((one) => (one.id === now.id ? now : one))
    })
  const done = () => {
    drafts.drop()
    close()
  }
  const save = (body: B) =>
    run('save', async () => {
      const stored = entry
        ? await saveOnSeen({
            read: () => parts.read(entry.id),
            isKnown: (now) => drafts.isBase(of, draftOf(now)),
            write: (etag) => told(parts.update(entry.id, body, etag), parts.refused),
            show
          })
        : await told(parts.create(body), parts.refused)
      show(stored)
      done()
    })
  const remove = () =>
    run('delete', async () => {
      if (entry) await told(parts.remove(entry.id), parts.refused)
      done()
    })
  return { of, saved, draft, change, fault, busy, save, remove }
}
