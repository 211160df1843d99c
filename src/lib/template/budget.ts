import { TemplateError } from './fault.ts'
import { GoTime } from './go-time.ts'
import type { Value } from './values.ts'

/** Reading or writing this many characters costs one step. */
const CHARACTERS_PER_STEP = 8
/** Steps to create or print a time. */
export const STEPS_PER_TIME = 30
/** Steps to find the digits of a float. */
const STEPS_PER_FLOAT = 5

/**
 * The steps that are left. Templates may share one budget. Steps are spent before the work is done.
 */
export class Budget {
  #left: number

  constructor(steps: number) {
    this.#left = steps
  }

  get left(): number {
    return this.#left
  }

  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new TemplateError('it takes too long')
  }

  spendOnText(length: number): void {
    this.spend(Math.ceil(length / CHARACTERS_PER_STEP))
  }

  /** Pays for one value that will be printed; the values inside it are paid for separately. */
  spendOnShowing(value: Value): void {
    this.spend(1)
    if (typeof value === 'string') this.spendOnText(value.length)
    else if (typeof value === 'number') this.spend(STEPS_PER_FLOAT)
    else if (value instanceof GoTime) this.spend(STEPS_PER_TIME)
  }
}
