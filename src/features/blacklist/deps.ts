import type { Blacklist } from './blacklist.ts'

export type BlacklistDeps = { blacklist: Blacklist }
