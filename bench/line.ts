import type { Sizes } from './sizes.ts'

/** One row of the table. `subject` and `floor` were measured in this run, in turns. */
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
  /** For data directories of this run; goes when the run ends. */
  workDir: string
  /** For what is kept between runs. */
  cacheDir: string
  say(text: string): void
  /** A round counts though other processes used this many cores: nothing better was to be had. */
  disturbed(cores: number): void
  /** Raw figures for the JSON file. */
  note(name: string, figures: unknown): void
}

export type Line = { name: string; about: string; run(bench: Bench): Promise<Row[]> }
