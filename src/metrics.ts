import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type HistogramConfiguration,
  type MetricObject,
  Registry
} from 'prom-client'
import { Buckets } from './lib/buckets.ts'
import { Quantiles } from './lib/quantiles.ts'
import { type QuotaName, quotaNames } from './lib/quota.ts'
import { type Refusal, refusals } from './lib/sample.ts'
import { Turns } from './lib/turns.ts'
import { SECOND } from './lib/unix-time.ts'
import { VERSION } from './lib/version.ts'
import { within } from './lib/within.ts'

/** Figures that take longer are missing in this answer. Prometheus itself waits for 10 s. */
const READ_LIMIT_MS = 3 * SECOND

// Every value of a label is known here, so that a series exists before it is first counted.
const runOutcomes = ['published', 'skipped', 'failed'] as const
const notificationOutcomes = [
  ...['sent', 'answered', 'late', 'unreachable', 'refused', 'template']
] as const
const dropReasons = ['age', 'budget'] as const
const letterKinds = ['mail', 'sms'] as const
const letterOutcomes = ['sent', 'failed'] as const
const alarmChannels = ['mail', 'sms', 'push', 'webhook'] as const
const signInWays = ['http', 'mqtt'] as const
const signInFaults = ['refused', 'throttled'] as const
/** In seconds. */
const answerTimes = [0.005, 0.02, 0.1, 0.5, 2, 10, 60]

export type SignInWay = (typeof signInWays)[number]
export type SignInFaultKind = (typeof signInFaults)[number]

type Labels = Readonly<Record<string, string>>
type Row = { labels: Labels; figure: number }
type Spread = { labels: Labels; buckets: Buckets }
/** `counts`: by status. */
type Answers = Spread & { counts: Map<number, number> }

/** What a page about the metrics says of each. */
export type MetricDescription = {
  name: string
  type: string
  labels: readonly string[]
  help: string
}

/** The figures for operators, in Prometheus' format. Names of counters end with `_total`. */
export class Metrics {
  readonly #registry = new Registry()
  /** Bring the figures that are kept elsewhere up to date. */
  readonly #reads: (() => Promise<void>)[] = []
  #reading: Promise<string> | undefined
  readonly #stored = this.#events(
    'samples_total',
    'Samples stored and acknowledged: in the spool, or with ACK=history in history'
  )
  readonly #moved = this.#events(
    'samples_moved_total',
    'Samples brought to history, from the spool or directly'
  )
  readonly #imported = this.#events('samples_imported_total', 'Samples of imported files')
  readonly #refused = this.#events(
    'refused_total',
    'Messages that were acknowledged but not stored',
    { reason: refusals }
  )
  readonly #overQuota = this.#events(
    'quota_refused_total',
    'Messages and requests refused because a quota is used up',
    { quota: quotaNames }
  )
  readonly #signInsFailed = this.#events(
    'sign_ins_failed_total',
    'Failed sign-ins: wrong or ended credentials (refused), or too many tries (throttled)',
    { over: signInWays, reason: signInFaults }
  )
  readonly #letters = this.#events('letters_total', 'Mails and SMS that the platform has sent', {
    kind: letterKinds,
    outcome: letterOutcomes
  })
  readonly #runs = this.#events('schedule_runs_total', 'Runs of schedules', {
    outcome: runOutcomes
  })
  readonly #notifications = this.#events('notifications_total', 'Notifications by outcome', {
    outcome: notificationOutcomes
  })
  readonly #alarmMessages = this.#events(
    'alarm_messages_total',
    'Tries to tell people of alarms, by channel and outcome',
    { channel: alarmChannels, outcome: letterOutcomes }
  )
  readonly #droppedMonths = this.#events(
    'history_dropped_months_total',
    'Months of history dropped because of their age or the budget',
    { reason: dropReasons }
  )
  /** By route, then by method: to build one name of both in each request is slow. */
  readonly #answers = new Map<string, Map<string, Answers>>()
  #faults = 0
  readonly #totals = { stored: 0, refused: 0, requests: 0 }
  readonly #took = new Quantiles()

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
    // With many connections they take long to count, and their names look like counters.
    for (const what of ['handles', 'requests', 'resources']) {
      this.#registry.removeSingleMetric(`nodejs_active_${what}`)
      this.#registry.removeSingleMetric(`nodejs_active_${what}_total`)
    }
    this.table(
      'build_info',
      'Always 1; the labels have the version of Caracal and of Node',
      ['version', 'node'],
      () => [{ labels: { version: VERSION, node: process.versions.node }, figure: 1 }]
    )
    this.#counted(
      'http_requests_total',
      'Requests that were answered, by route and status',
      ['method', 'route', 'status'],
      () =>
        this.#everyAnswers().flatMap(({ labels, counts }) =>
          Array.from(counts, ([status, figure]) => {
            return { labels: { ...labels, status: String(status) }, figure }
          })
        )
    )
    new CountedElsewhere(
      {
        ...this.#named('http_request_seconds', 'Time to answer, by route'),
        ...{ labelNames: ['method', 'route'], buckets: answerTimes }
      },
      () => this.#everyAnswers()
    )
    // It begins with 0, so that an alert sees the first one.
    this.counter('http_faults_total', 'Requests that failed with status 500', () => this.#faults)
  }

  stored(samples: number): void {
    this.#stored.inc(samples)
    this.#totals.stored += samples
  }

  imported(samples: number): void {
    this.#imported.inc(samples)
  }

  moved(samples: number): void {
    this.#moved.inc(samples)
  }

  refused(reason: Refusal): void {
    this.#refused.inc({ reason })
    this.#totals.refused++
  }

  overQuota(quota: QuotaName): void {
    this.#overQuota.inc({ quota })
  }

  signInFailed(over: SignInWay, reason: SignInFaultKind): void {
    this.#signInsFailed.inc({ over, reason })
  }

  sentLetter(kind: (typeof letterKinds)[number], outcome: (typeof letterOutcomes)[number]): void {
    this.#letters.inc({ kind, outcome })
  }

  ran(outcome: (typeof runOutcomes)[number], runs: number): void {
    this.#runs.inc({ outcome }, runs)
  }

  notified(outcome: (typeof notificationOutcomes)[number]): void {
    this.#notifications.inc({ outcome })
  }

  toldAlarms(
    channel: (typeof alarmChannels)[number],
    outcome: (typeof letterOutcomes)[number]
  ): void {
    this.#alarmMessages.inc({ channel, outcome })
  }

  droppedMonth(reason: (typeof dropReasons)[number]): void {
    this.#droppedMonths.inc({ reason })
  }

  /** `route` is the pattern of the route, so that no caller can add a series for each URL. */
  answered(method: string, route: string, status: number, seconds: number): void {
    const { buckets, counts } = this.#answersOf(method, route)
    counts.set(status, (counts.get(status) ?? 0) + 1)
    if (status === 500) this.#faults++
    buckets.add(seconds)
    this.#totals.requests++
    this.#took.add(seconds)
  }

  #answersOf(method: string, route: string): Answers {
    const ofRoute = this.#answers.get(route) ?? new Map<string, Answers>()
    const known = ofRoute.get(method)
    if (known) return known
    const labels = { method, route }
    const answers = { labels, buckets: new Buckets(answerTimes), counts: new Map() }
    this.#answers.set(route, ofRoute.set(method, answers))
    return answers
  }

  #everyAnswers(): Answers[] {
    return [...this.#answers.values()].flatMap((ofRoute) => [...ofRoute.values()])
  }

  /** Since the start. */
  get totals(): Readonly<{ stored: number; refused: number; requests: number }> {
    return this.#totals
  }

  /** How long answers took since the last call, in seconds. NaN: there were none. */
  takeAnswerTimes(): { p50: number; p99: number } {
    const times = { p50: this.#took.at(0.5), p99: this.#took.at(0.99) }
    this.#took.clear()
    return times
  }

  /** A figure that is read when Prometheus asks. It is NaN if it cannot be read. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    const gauge = new Gauge(this.#named(name, help))
    this.#reads.push(async () => {
      gauge.set(await inTime(read).catch(() => Number.NaN))
    })
  }

  /** A figure that only rises until the process ends, and is counted elsewhere. */
  counter(name: `${string}_total`, help: string, read: () => number): void {
    this.#counted(name, help, [], () => [{ labels: {}, figure: read() }])
  }

  /** The same with a label. */
  counters(
    name: `${string}_total`,
    help: string,
    label: string,
    read: () => Record<string, number> | Promise<Record<string, number>>
  ): void {
    this.#counted(name, help, [label], async () =>
      Object.entries(await read()).map(([value, figure]) => ({
        labels: { [label]: value },
        figure
      }))
    )
  }

  /** Figures with labels, which may change each time. There are none if they cannot be read. */
  table<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    read: () => TableRow<Label>[] | Promise<TableRow<Label>[]>
  ): void {
    const gauge = new Gauge<string>({ ...this.#named(name, help), labelNames })
    this.#reads.push(async () => {
      const rows = await inTime(read).catch(() => [])
      gauge.reset()
      for (const { labels, figure } of rows) gauge.set(labels, figure)
    })
  }

  /** The text for Prometheus. Callers at the same time share one. */
  read(): Promise<string> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** Every metric that is registered, by name. */
  describe(): MetricDescription[] {
    return this.#registry
      .getMetricsAsArray()
      .map((metric: MetricObject & { labelNames?: readonly string[] }) => ({
        name: metric.name,
        type: typeOf(metric),
        labels: metric.labelNames ?? [],
        help: metric.help
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Other work gets turns in between, because there may be thousands of lines. */
  async #read(): Promise<string> {
    await Promise.all(this.#reads.map((read) => read()))
    const turns = new Turns()
    const parts: string[] = []
    for (const { name } of this.#registry.getMetricsAsArray()) {
      parts.push(await this.#registry.getSingleMetricAsString(name))
      await turns.next()
    }
    return `${parts.join('\n\n')}\n`
  }

  #named(name: string, help: string) {
    return { name: `caracal_${name}`, help, registers: [this.#registry] }
  }

  /** Events that are counted here. Each series begins with 0. */
  #events<Label extends string = never>(
    name: `${string}_total`,
    help: string,
    values = {} as Readonly<Record<Label, readonly string[]>>
  ): Counter<Label> {
    const labelNames = Object.keys(values) as Label[]
    const counter = new Counter<Label>({ ...this.#named(name, help), labelNames })
    let series: Partial<Record<Label, string>>[] = [{}]
    for (const label of labelNames) {
      series = series.flatMap((one) => values[label].map((value) => ({ ...one, [label]: value })))
    }
    for (const labels of series) counter.inc(labels, 0)
    return counter
  }

  #counted(
    name: `${string}_total`,
    help: string,
    labelNames: readonly string[],
    read: () => Row[] | Promise<Row[]>
  ): void {
    const counter = new Counter<string>({ ...this.#named(name, help), labelNames })
    this.#reads.push(async () => {
      const rows = await inTime(read).catch(() => [])
      counter.reset()
      for (const { labels, figure } of rows) counter.inc(labels, figure)
    })
  }
}

/** A histogram that others count. The one of the library looks up its labels for each figure. */
class CountedElsewhere extends Histogram {
  readonly #read: () => readonly Spread[]

  constructor(configuration: HistogramConfiguration<string>, read: () => readonly Spread[]) {
    super(configuration)
    this.#read = read
  }

  /** The library asks for this when it makes a text. */
  getForPromString() {
    const { name, help } = this as unknown as MetricObject
    const values = this.#read().flatMap(({ labels: sharedLabels, buckets }) => [
      ...buckets.upTo().map(({ bound, count: value }) => {
        const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : bound
        return { metricName: `${name}_bucket`, sharedLabels, labels: { le }, value }
      }),
      { metricName: `${name}_sum`, sharedLabels, labels: {}, value: buckets.sum },
      { metricName: `${name}_count`, sharedLabels, labels: {}, value: buckets.count }
    ])
    return { name, help, type: 'histogram', values }
  }
}

export type TableRow<Label extends string> = { labels: Record<Label, string>; figure: number }

const inTime = async <T>(read: () => T | Promise<T>): Promise<T> => {
  const work = (async () => read())()
  return within(READ_LIMIT_MS, work, () => new Error('the figure could not be read in time'))
}

function typeOf(metric: unknown): string {
  if (metric instanceof Counter) return 'counter'
  if (metric instanceof Histogram) return 'histogram'
  return metric instanceof Gauge ? 'gauge' : 'summary'
}
