import type { Searcher } from './searcher.ts'

export type SearchDeps = { searcher: Searcher; searchTimeoutMs: number }
