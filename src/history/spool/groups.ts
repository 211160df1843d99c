import type { Ids } from '../../lib/lineage.ts'

/** A message that was acknowledged but not stored. */
export type RefusedMessage = {
  created: number
  /** A refusal, maybe with details. */
  reason: string
  topic: string
  sender: string
  payload: string
  /** The installation whose owner may see the message. */
  installation_id?: number | undefined
}
export type LedgerEntry = Omit<RefusedMessage, 'installation_id'> & { id: number }
/** Newest first; with `installation_id` only the entries of that installation. */
export type LedgerPage = { before: number; limit: number; installation_id?: number | undefined }
export type SpoolGroup = {
  rows: Uint8Array
  count: number
  lastId: number
  refusals: RefusedMessage[]
}
/** The first group of a batch may be larger. */
export type BatchLimits = { maxSamples: number; maxBytes: number }
export type Batch = {
  token: string
  last: number
  count: number
  rows: Uint8Array
  /** Nothing waits after this batch. */
  isNewest: boolean
}
/** What a reader reads ahead. It begins after the group `begin`. */
export type Ahead = Omit<Batch, 'token'> & { begin: number }
/** `uuid` is created with the file and never changes. The figures are about samples not in history. */
export type SpoolState = {
  uuid: string
  lastId: number
  samples: number
  bytes: number
  /** The id of the oldest sample; undefined when there is none. */
  oldestId: number | undefined
  readers: ReaderState[]
}
/** The reader that moves samples to history. Every spool has it. */
export const MOVER = 'mover'
/**
 * What a reader has not passed yet, and how many samples it has missed because it was too far
 * behind.
 */
export type ReaderState = { name: string; samples: number; bytes: number; missed: number }
/** A reader that was moved on, and what it missed by that. */
export type LateReader = { reader: string; samples: number; bytes: number }
/** The platform whose samples wait here, and the highest ids that this node has seen. */
export type SpoolLineage = { platform: string; reached: Ids }
