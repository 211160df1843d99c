import type { SampleIds } from '../../history/sample-ids.ts'
import type { InstallationRef } from '../../registry/installations.ts'
import type { Removals } from '../../samples/removals.ts'

export type LogDeps = {
  ids: SampleIds
  removals: Removals
  /** Judges imported values by the rules. Resolves when the alarms are written. */
  judgeImport: (installation: InstallationRef, rows: Buffer) => Promise<void>
  /** How much a compressed import may have after it is uncompressed. */
  importLimits: { bytes: number; lines: number }
  /** A query of history that takes this long is logged. */
  slowQueryMs: number
}
