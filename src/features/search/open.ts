import { sqliteFile } from '../../registry/open.ts'
import type { Registry } from '../../registry/tables.ts'
import { PostgresSearcher } from './postgres-searcher.ts'
import type { Searcher } from './searcher.ts'
import { SearchThread } from './thread.ts'

/** SQLite works on the calling thread, so search gets its own; PostgreSQL is another process. */
export const openSearcher = (
  registry: Registry,
  { url, dataDir, timeoutMs }: { url: string; dataDir: string; timeoutMs: number }
): Searcher =>
  url === ''
    ? new SearchThread(sqliteFile(dataDir))
    : new PostgresSearcher(registry, { url, timeoutMs })
