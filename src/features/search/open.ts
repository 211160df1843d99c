import { sqliteFile } from '../../registry/open.ts'
import type { Searcher } from './searcher.ts'
import { SearchThread } from './thread.ts'

export const openSearcher = ({
  url,
  dataDir,
  timeoutMs
}: {
  url: string
  dataDir: string
  timeoutMs: number
}): Searcher => new SearchThread(url === '' ? { file: sqliteFile(dataDir) } : { url, timeoutMs })
