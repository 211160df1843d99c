import type { Ingest } from '../../samples/ingest.ts'
import type { Commands } from './commands.ts'

export type CommandDeps = {
  commands: Commands
  ingest: Pick<Ingest, 'accept'>
  blacklist: { blocks(topic: string): boolean }
}
