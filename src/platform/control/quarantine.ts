import type { Logger } from 'pino'
import { type Static, Type } from 'typebox'
import type { Damage, HistoryFiles } from '../../history/files.ts'
import { toSeconds, type UnixMs } from '../../lib/unix-time.ts'
import { tellQuarantined } from '../broken-files.ts'

/** Times in Unix seconds. */
type Span = { first: number; last: number }
type File = Span & {
  file: string
  month: string
  /** How many the file should have, and how many of them cannot be read. */
  samples: number
  lost: number
  reason: string
}
type Broken = File & {
  /** Topics with lost samples that can still be named. */
  topic_count: number
  topics: (Span & { installation_id: number | null; topic: string | null; samples: number })[]
}

export const Wanted = Type.Object({
  /** What to set aside; nothing: only look. */
  files: Type.Array(Type.String({ pattern: '^[0-9a-f-]+\\.pack$', maxLength: 100 }), {
    maxItems: 1000
  }),
  all: Type.Boolean()
})
export type Wanted = Static<typeof Wanted>

export type Report = {
  /** From 0 to 1. */
  done: number
  error: string | null
  /** How many files were read. */
  checked: number
  broken: Broken[]
  set_aside: Broken[]
  /** What was set aside before. */
  before: (File & { at: number })[]
}

/** Reads packed files, and sets the broken ones aside if that is wanted. */
export class QuarantineWork {
  readonly #files: HistoryFiles
  readonly #log: Logger
  #report: Report = { done: 1, error: null, checked: 0, broken: [], set_aside: [], before: [] }

  constructor(files: HistoryFiles, log: Logger) {
    this.#files = files
    this.#log = log
  }

  /** What the last work has found, also while it goes on. */
  get report(): Report {
    const before = this.#files.quarantined.map(({ name: file, at, first, last, ...one }) => ({
      ...{ file, ...one, first: seconds(first), last: seconds(last), at: seconds(at) }
    }))
    return { ...this.#report, before }
  }

  /** Resolves when it is done. The report has the error, if any. */
  async run({ files, all }: Wanted): Promise<void> {
    if (this.#report.done < 1) throw new Error('another quarantine command is at work')
    const report: Report = {
      ...{ done: 0, error: null, checked: 0 },
      broken: [],
      set_aside: [],
      before: []
    }
    this.#report = report
    try {
      const known = await this.#files.names()
      const unknown = files.find((file) => !known.includes(file))
      if (unknown) throw new Error(`history has no file ${unknown}`)
      const names = files.length > 0 ? files : known
      for (const [i, name] of names.entries()) {
        await this.#do(name, all || files.length > 0, report)
        report.checked++
        report.done = Math.min((i + 1) / names.length, ALMOST)
      }
      const isWhole = files.length > 0 && report.set_aside.length === 0
      if (isWhole) throw new Error('nothing is broken in it: nothing was changed')
    } catch (error) {
      report.error = (error as Error).message
    }
    report.done = 1
  }

  async #do(name: string, isSetAside: boolean, report: Report): Promise<void> {
    const found = await this.#files.inspect(name)
    if (!found) return
    if (!isSetAside) {
      report.broken.push(shown(found))
      return
    }
    const damage = await this.#files.quarantine(name)
    if (!damage) return
    tellQuarantined(this.#log, damage)
    report.set_aside.push(shown(damage))
  }
}

/** Done means that the report is whole. */
const ALMOST = 0.99

const seconds = (at: UnixMs): number => toSeconds(at)

const shown = ({ name: file, topicCount, topics, first, last, ...damage }: Damage) => ({
  ...{ file, ...damage, first: seconds(first), last: seconds(last), topic_count: topicCount },
  topics: topics.map(({ installation_id, topic, samples, first, last }) => ({
    ...{ installation_id, topic, samples, first: seconds(first), last: seconds(last) }
  }))
})
