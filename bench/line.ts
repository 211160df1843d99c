import type { Sizes } from './sizes.ts'

/** One row of the table. `subject` and `floor` were measured in this run, alternating. */
export type Row = {
  line: string
  what: string
  subject: string
  floor: string
  ratio: number | undefined
  goal: string
  isMet: boolean | undefined
}

export type Bench = {
  sizes: Sizes
  /** For data directories of this run. It is removed when the run ends. */
  workDir: string
  /** For data that are kept between runs. */
  cacheDir: string
  say(text: string): void
  /** The best round still had other processes on this many cores. */
  disturbed(cores: number): void
  /** What could not be measured without a program, and the Debian package that has it. */
  lacks(what: string, program: string, debianPackage: string): void
  /** Raw figures for the JSON file. */
  note(name: string, figures: unknown): void
}

export type Line = { name: string; about: string; run(bench: Bench): Promise<Row[]> }
