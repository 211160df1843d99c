import type { Mappings } from './mappings.ts'

export type MappingDeps = { mappings: Mappings }
