import { Store, useStore } from './store.ts'

/**
 * What is typed and not saved yet, of one thing at a time. It is outside of the page: a page may be
 * drawn anew after the end of a session. `textOf`: a draft with the same text as what is saved is none.
 */
export class Drafts<T> {
  readonly store = new Store<{ of: string; draft: T | undefined }>({ of: '', draft: undefined })
  readonly textOf: (draft: T) => string

  constructor(textOf: (draft: T) => string = JSON.stringify) {
    this.textOf = textOf
  }

  readonly has = (): boolean => this.store.value.draft !== undefined

  readonly drop = (): void => this.store.set({ of: '', draft: undefined })
}

export function useDraftOf<T>(
  { store, textOf }: Drafts<T>,
  of: string,
  saved: T
): [T, (next: T) => void] {
  const { of: current, draft } = useStore(store)
  return [
    (current === of && draft) || saved,
    (next) => store.set({ of, draft: textOf(next) === textOf(saved) ? undefined : next })
  ]
}
