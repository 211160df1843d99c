import type { UnixMs } from '../../lib/unix-time.ts'
import type { Point } from './columns.ts'
import type { SetAside } from './set-aside.ts'

/** A packed file that is listed. */
export type Pack = {
  name: string
  month: string
  bytes: number
  samples: number
  first: number
  last: number
}

/** A change of the list of packed files: all of it is done, or nothing. */
export type Swap = {
  add: readonly Pack[]
  remove: readonly string[]
  dropRows?: string
  setAside?: SetAside
}

/** A table of rows has rows of this month. */
export type RowMonth = { name: string; month: string }

/** Samples that are to be removed. */
export type Removal = { topic_ids: readonly number[]; from: UnixMs; to: UnixMs }

/** `newest` is undefined when there is none, or the latest value is outside anyway. */
export type SurveyedTopic = { topic_id: number; count: number; newest: Point | undefined }
