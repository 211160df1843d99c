import type { Ingest } from '../../samples/ingest.ts'

export type SampleDeps = {
  ingest: Pick<Ingest, 'acceptTogether' | 'refuse'>
  blacklist: { keepsOut(topic: string): boolean }
}
