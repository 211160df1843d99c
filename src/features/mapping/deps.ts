import type { LastMessages } from './last-messages.ts'
import type { Mappings } from './mappings.ts'

export type MappingDeps = { mappings: Mappings; lastMessages: LastMessages }
