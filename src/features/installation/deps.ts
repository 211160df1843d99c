import type { Readable } from 'node:stream'

export type InstallationDeps = {
  /** An installation with all that belongs to it, as a file of this many bytes [ADR-0053]. */
  siteFile: (
    installation_id: number,
    signal: AbortSignal
  ) => Promise<{ content: Readable; bytes: number }>
}
