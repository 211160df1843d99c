import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { QuotaName } from './lib/quota.ts'
import type { Refusal } from './lib/sample.ts'

/** What an operator watches at night, in Prometheus' form. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #stored = this.#counter('samples_total', 'Samples acknowledged and stored in the spool')
  readonly #moved = this.#counter('samples_moved_total', 'Samples moved from the spool to history')
  readonly #imported = this.#counter('samples_imported_total', 'Samples of imported files')
  readonly #refused = this.#counter(
    'refused_total',
    'Messages acknowledged and not stored',
    'reason'
  )
  readonly #overQuota = this.#counter(
    'quota_refused_total',
    'What was refused because a quota is used up',
    'quota'
  )
  readonly #runs = this.#counter('schedule_runs_total', 'Runs of schedules', 'outcome')
  readonly #notifications = this.#counter(
    'notifications_total',
    'Notifications, by what became of them',
    'outcome'
  )
  readonly #droppedMonths = this.#counter(
    'history_dropped_months_total',
    'Months of history dropped because of their age or the budget',
    'reason'
  )
  readonly #requests = new Histogram({
    name: 'caracal_http_request_seconds',
    help: 'Time to answer, by route and status',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [this.#registry]
  })

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
  }

  stored(samples: number): void {
    this.#stored.inc(samples)
  }

  imported(samples: number): void {
    this.#imported.inc(samples)
  }

  moved(samples: number): void {
    this.#moved.inc(samples)
  }

  refused(reason: Refusal): void {
    this.#refused.inc({ reason })
  }

  overQuota(quota: QuotaName): void {
    this.#overQuota.inc({ quota })
  }

  ran(outcome: string, runs: number): void {
    this.#runs.inc({ outcome }, runs)
  }

  notified(outcome: string): void {
    this.#notifications.inc({ outcome })
  }

  droppedMonth(reason: 'age' | 'budget'): void {
    this.#droppedMonths.inc({ reason })
  }

  answered(method: string, route: string, status: number, seconds: number): void {
    this.#requests.observe({ method, route, status }, seconds)
  }

  /** A figure that is read when someone asks. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name: `caracal_${name}`,
      help,
      registers: [this.#registry],
      async collect() {
        this.set(await read())
      }
    })
  }

  /** Several figures of one name, told apart by a label. */
  gauges(name: string, help: string, label: string, read: () => Record<string, number>): void {
    new Gauge({
      name: `caracal_${name}`,
      help,
      labelNames: [label],
      registers: [this.#registry],
      collect() {
        for (const [value, figure] of Object.entries(read())) this.set({ [label]: value }, figure)
      }
    })
  }

  /** Figures with several labels, which may be others each time. */
  table<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    read: () => { labels: Record<Label, string>; figure: number }[]
  ): void {
    new Gauge({
      name: `caracal_${name}`,
      help,
      labelNames,
      registers: [this.#registry],
      collect() {
        this.reset()
        for (const { labels, figure } of read()) this.set(labels, figure)
      }
    })
  }

  read(): Promise<string> {
    return this.#registry.metrics()
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  #counter<Label extends string>(name: string, help: string, ...labelNames: Label[]) {
    return new Counter({ name: `caracal_${name}`, help, labelNames, registers: [this.#registry] })
  }
}
