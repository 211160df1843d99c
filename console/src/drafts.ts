import { Store, useStore } from './store.ts'

/** What is typed, of which thing, and what was saved when the caller began to type. */
type Typed<T> = { of: string; draft: T; base: T }

/**
 * What is typed and not saved yet, of one thing at a time. It is outside of the page: a page may be
 * drawn anew after the end of a session. `textOf`: a draft with the same text as what is saved is none.
 */
export class Drafts<T> {
  readonly store = new Store<Typed<T> | undefined>(undefined)
  readonly textOf: (draft: T) => string

  constructor(textOf: (draft: T) => string = JSON.stringify) {
    this.textOf = textOf
  }

  readonly has = (): boolean => this.store.value !== undefined

  readonly drop = (): void => this.store.set(undefined)

  /** What was saved when the caller began to type; undefined without a draft of this thing. */
  readonly baseOf = (of: string): T | undefined =>
    this.store.value?.of === of ? this.store.value.base : undefined

  /** Whether the draft of this thing was made on what is saved now. */
  readonly isBase = (of: string, saved: T): boolean => {
    const base = this.baseOf(of)
    return base === undefined || this.textOf(base) === this.textOf(saved)
  }

  /** The draft is made on `base` from now on. */
  readonly put = (of: string, draft: T, base: T): void =>
    this.store.set(this.textOf(draft) === this.textOf(base) ? undefined : { of, draft, base })
}

export function useDraftOf<T>(
  drafts: Drafts<T>,
  of: string,
  saved: T
): [draft: T, change: (next: T) => void] {
  const typed = useStore(drafts.store)
  const own = typed?.of === of ? typed : undefined
  return [own?.draft ?? saved, (next) => drafts.put(of, next, own?.base ?? saved)]
}
