import { sqliteFile } from '../../registry/open.ts'
import type { Registry } from '../../registry/tables.ts'
import type { Searcher } from './searcher.ts'
import { SearchThread } from './thread.ts'

/** SQLite works on the calling thread, so search gets its own; PostgreSQL is another process. */
export async function openSearcher(
  registry: Registry,
  { url, dataDir, timeoutMs }: { url: string; dataDir: string; timeoutMs: number }
): Promise<Searcher> {
  if (url === '') return new SearchThread(sqliteFile(dataDir))
  const { PostgresSearcher } = await import('./postgres-searcher.ts')
  return new PostgresSearcher(registry, { url, timeoutMs })
}
