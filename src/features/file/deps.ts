import type { Tally } from '../../lib/tally.ts'
import type { FileStore } from './store.ts'

export type FileDeps = {
  files: FileStore
  /** How many bytes an organization's own files may have together. */
  filesQuota: number
  /** Uploads under way on all paths: their number by caller, and their bytes by owner. */
  uploading: { callers: Tally; bytes: Tally }
}
