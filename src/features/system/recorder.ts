import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../../lib/clock.ts'
import { Outage } from '../../lib/outage.ts'
import { MINUTE, SECOND } from '../../lib/unix-time.ts'
import { type Figures, figures } from './figures.ts'
import type { FiguresFile } from './figures-file.ts'

const LOOK_EVERY_MS = SECOND
/** More points than this are joined. */
const MAX_POINTS = 720

export type FigureHistory = {
  /** Seconds from one point to the next. */
  step: number
  /** The start of each point, in Unix seconds. */
  times: number[]
  /** null: not known, or the platform did not run. */
  figures: Record<keyof Figures, (number | null)[]>
}

type Parts = {
  file: FiguresFile
  /** Figures since the last call, which was so many seconds ago. */
  take: (seconds: number) => Promise<Figures>
  clock: Clock
  log: FastifyBaseLogger
}

/** Writes down each minute how the node does. [ADR-0071] */
export class Recorder {
  readonly #parts: Parts
  readonly #outage: Outage
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> | undefined
  #since: number

  constructor(parts: Parts) {
    this.#parts = parts
    this.#since = parts.clock()
    this.#outage = new Outage(parts.log, {
      fails: 'the figures of the system cannot be recorded',
      back: 'the figures of the system are recorded again'
    })
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#working
    this.#parts.file.close()
  }

  /** Records if a minute has ended. */
  look(): Promise<void> {
    this.#working ??= this.#look()
      .then(
        () => this.#outage.worked(),
        (err) => this.#outage.failed(err)
      )
      .finally(() => {
        this.#working = undefined
      })
    return this.#working
  }

  async #look(): Promise<void> {
    const { clock, take, file } = this.#parts
    const now = clock()
    const minute = minuteOf(now)
    // The clock was set back: what came in the meantime belongs to no minute.
    if (now < this.#since) this.#since = now
    if (minute <= minuteOf(this.#since)) return
    const seconds = (now - this.#since) / SECOND
    this.#since = now
    const taken = await take(seconds)
    file.write({ minute: minute - 1, values: figures.map(({ name }) => taken[name]) })
  }

  /** The last hours, in at most 720 points. */
  read(hours: number): FigureHistory {
    const minutes = hours * 60
    const step = Math.ceil(minutes / MAX_POINTS)
    // Points stay where they are while time goes on.
    const end = Math.floor(minuteOf(this.#parts.clock()) / step)
    const start = end - Math.ceil(minutes / step)
    const joins = Array.from({ length: end - start + 1 }, () => figures.map(() => new Join()))
    const read = this.#parts.file.read(start * step, (end + 1) * step - 1)
    for (const { minute, values } of read) {
      const point = joins[Math.floor(minute / step) - start]
      values.forEach((value, i) => void point?.[i]?.add(value))
    }
    return {
      step: step * 60,
      times: joins.map((_, i) => (start + i) * step * 60),
      figures: Object.fromEntries(
        figures.map(({ name, joined }, i) => [
          name,
          joins.map((point) => point[i]?.value(joined) ?? null)
        ])
      ) as FigureHistory['figures']
    }
  }
}

const minuteOf = (time: number): number => Math.floor(time / MINUTE)

/** Minutes that become one point. */
class Join {
  #count = 0
  #sum = 0
  #most = Number.NEGATIVE_INFINITY
  #least = Number.POSITIVE_INFINITY

  add(value: number): void {
    if (!Number.isFinite(value)) return
    this.#count++
    this.#sum += value
    this.#most = Math.max(this.#most, value)
    this.#least = Math.min(this.#least, value)
  }

  value(joined: 'mean' | 'most' | 'least'): number | null {
    if (this.#count === 0) return null
    if (joined === 'mean') return this.#sum / this.#count
    return joined === 'most' ? this.#most : this.#least
  }
}
