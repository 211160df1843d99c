import { Store, useStore } from '../store.ts'
import type { Model } from './api.ts'

export type Field = { value: string; isProtected: boolean }
/** `from` is what was there when the edit began. Undefined: the key is not there. */
export type Edit = { from: Field | undefined; to: Field | undefined }
export type Added = { row: number; key: string } & Field

/** What is typed and not saved yet. It lies above what the platform has, so no refetch loses it. */
export type Draft = {
  type?: { from: string; to: string }
  edits: ReadonlyMap<string, Edit>
  added: readonly Added[]
}

const empty: Draft = { edits: new Map(), added: [] }
/** It is outside of the page: a page may be drawn anew after the end of a session. */
const drafts = new Store<{ of: string; draft: Draft }>({ of: '', draft: empty })

export function useDraft(of: string): [Draft, (change: (draft: Draft) => Draft) => void] {
  const { draft } = useStore(drafts)
  const current = drafts.value.of === of ? draft : empty
  return [current, (change) => changeDraft(of, change)]
}

/** A second change in the same moment sees the first one. */
export function changeDraft(of: string, change: (draft: Draft) => Draft): void {
  drafts.set({ of, draft: change(draftOf(of)) })
}

export const draftOf = (of: string): Draft => (drafts.value.of === of ? drafts.value.draft : empty)
export const dropDraft = (): void => drafts.set({ of: '', draft: empty })

export const countOf = ({ type, edits, added }: Draft): number =>
  (type ? 1 : 0) + edits.size + added.length

export const hasDraft = (): boolean => countOf(drafts.value.draft) > 0

/** What has metadata. */
export type Described = Pick<Model, 'meta' | 'protected_meta'>

export function fieldsOf({ meta, protected_meta = {} }: Described): Map<string, Field> {
  const of = (map: Record<string, string>, isProtected: boolean) =>
    Object.entries(map).map(([key, value]): [string, Field] => [key, { value, isProtected }])
  return new Map([...of(meta, false), ...of(protected_meta, true)])
}

export const isSame = (a: Field | undefined, b: Field | undefined): boolean =>
  a?.value === b?.value && a?.isProtected === b?.isProtected

/** An edit back to the beginning is none. */
export function withEdit(draft: Draft, key: string, { from, to }: Edit): Draft {
  const edits = new Map(draft.edits)
  if (isSame(from, to)) edits.delete(key)
  else edits.set(key, { from, to })
  return { ...draft, edits }
}

export function withType({ type: _, ...draft }: Draft, from: string, to: string): Draft {
  return from === to ? draft : { ...draft, type: { from, to } }
}

export const withRow = (draft: Draft, changed: Added): Draft => ({
  ...draft,
  added: draft.added.map((one) => (one.row === changed.row ? changed : one))
})

export function withNewRow(draft: Draft): Draft {
  const row = Math.max(0, ...draft.added.map((one) => one.row)) + 1
  return { ...draft, added: [...draft.added, { row, key: '', value: '', isProtected: false }] }
}

export const withoutRow = (draft: Draft, row: number): Draft => ({
  ...draft,
  added: draft.added.filter((one) => one.row !== row)
})

/** Somebody else changed the same key to something else since the edit began. */
export const isConflict = (edit: Edit, now: Field | undefined): boolean =>
  !isSame(edit.from, now) && !isSame(edit.to, now)

export const hasConflict = ({ type, edits }: Draft, model: Model): boolean => {
  const fields = fieldsOf(model)
  const isTypeMoved = type && type.from !== model.type && type.to !== model.type
  return Boolean(isTypeMoved) || [...edits].some(([key, edit]) => isConflict(edit, fields.get(key)))
}

const MAX_KEY_LENGTH = 255
const MAX_VALUE_LENGTH = 65_536

export type KeyFault = 'keyMissing' | 'keyLong' | 'keyDots' | 'keyTaken'

/** `taken`: the other keys. A key of dots alone would become another address. */
export function keyFault(key: string, taken: (key: string) => boolean): KeyFault | undefined {
  if (key === '') return 'keyMissing'
  if (key.length > MAX_KEY_LENGTH) return 'keyLong'
  if (key === '.' || key === '..') return 'keyDots'
  return taken(key) ? 'keyTaken' : undefined
}

export const isTooLong = (value: string): boolean => value.length > MAX_VALUE_LENGTH

const TYPE = /^[^/+#]{1,100}$/
export const isType = (type: string): boolean => TYPE.test(type)
