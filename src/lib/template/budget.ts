import { TemplateError } from './fault.ts'
import { GoTime } from './go-time.ts'
import type { Value } from './values.ts'

/** So many characters of any text that is looked at or made cost one step. */
const CHARACTERS = 8
/** Steps to make a time, or to show one. */
export const TIME = 30
/** Steps to find the digits of a float. */
const FLOAT = 5

/** What may still be spent; several templates may share one. Work is paid for before it is done. */
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
    this.spend(Math.ceil(length / CHARACTERS))
  }

  /** One value that will be shown; those in it pay for themselves. */
  spendOnShowing(value: Value): void {
    this.spend(1)
    if (typeof value === 'string') this.spendOnText(value.length)
    else if (typeof value === 'number') this.spend(FLOAT)
    else if (value instanceof GoTime) this.spend(TIME)
  }
}
