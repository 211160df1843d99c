import type { UnixMs } from '../lib/unix-time.ts'

/** A packed file of history that cannot be read as a whole. `samples`: how many it should have. */
export type BrokenFile = {
  name: string
  month: string
  samples: number
  first: UnixMs
  last: UnixMs
  reason: string
}
/** A topic that was deleted since has neither installation nor name. */
export type LostTopic = {
  topic_id: number
  installation_id: number | null
  topic: string | null
  samples: number
  first: UnixMs
  last: UnixMs
}
/**
 * What is lost with a file. The topics are those that can still be named, at most some; `lost`
 * counts everything.
 */
export type Damage = BrokenFile & { lost: number; topicCount: number; topics: LostTopic[] }

export type Quarantined = BrokenFile & { lost: number; at: UnixMs }

export type Contents = { months: number; samples: number; isEstimated: boolean }

/** The packed files of history, for operators. [ADR-0051] */
export type HistoryFiles = {
  /** What was found so far: at the start, and by queries. */
  readonly broken: readonly BrokenFile[]
  /** What was set aside before. */
  readonly quarantined: readonly Quarantined[]
  /** The names of all files, the oldest first. */
  names(): Promise<string[]>
  /** Reads a whole file. Undefined when it is whole, or no longer in use. */
  inspect(name: string): Promise<Damage | undefined>
  /**
   * Puts a new file with everything that is whole in the place of a broken one, and moves the broken
   * one to the quarantine. Undefined as above; then nothing has changed.
   */
  quarantine(name: string): Promise<Damage | undefined>
  /** Cheap at any size. */
  contents(): Promise<Contents>
}
