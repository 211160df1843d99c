export type EntrySearch = { id?: number; add?: true }

export const readEntrySearch = (search: Record<string, unknown>): EntrySearch => ({
  id: typeof search.id === 'number' ? search.id : undefined,
  add: search.add === true ? true : undefined
})
