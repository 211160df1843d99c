import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Directory } from '../access/directory.ts'
import type { Bus } from '../bus/bus.ts'
import { Rounds } from '../bus/rounds.ts'
import type { History } from '../history/history.ts'
import type { Latest } from '../history/latest.ts'
import type { Spool } from '../history/spool.ts'
import { decodeSamples, encodeSample, type Sample } from '../lib/sample.ts'
import { SECOND } from '../lib/unix-time.ts'
import type { Claims } from '../registry/claims.ts'

/** What only a broker that all nodes share can do. */
export type SharedBus = Bus & {
  /** Under which this platform alone publishes and listens; no filter of a device reaches it. */
  readonly ownTopics: string
  listen(
    filter: string,
    handler: (topic: string, payload: Buffer) => void,
    onReady: () => void
  ): void
}

type Parts = {
  bus: SharedBus
  latest: Latest
  history: History
  spool: Spool
  directory: Directory
  claims: Claims
  log: FastifyBaseLogger
  /** This node, as its data directory is called. */
  node: string
}

const LINE_END = 10
const GATHER_MS = 20
const RETRY_MS = SECOND
const PART = 128 * 1024
/** Of values that are kept while nobody can be told. */
export const MAX_UNTOLD_BYTES = 16 * 1024 * 1024
/** What one takes beside its texts, roughly. */
const SAMPLE_BYTES = 128
/** For those who do not answer, because they just went. */
const PATIENCE = 5 * SECOND
const CATCH_UP_AGAIN = 5 * SECOND

/**
 * [ADR-0020] Latest values agree on all nodes: each tells the others what became the newest with it,
 * and whoever was away asks for what still is on its way and then reads history.
 */
export class Peers {
  readonly #parts: Parts
  /** By topic: however long the broker is away, there is one to tell for each. */
  readonly #untold = new Map<string, Sample>()
  #keptBytes = 0
  /** Of those that are on their way. */
  #leavingBytes = 0
  /** There were more than are kept: the others have to look for themselves. */
  #hasMore = false
  readonly #stopping = new AbortController()
  #telling: Promise<void> | undefined
  /** Whoever asks while others are answered waits for the next answer, which may say more. */
  readonly #askers = new Set<string>()
  readonly #answering = new Rounds(() => this.#answer())
  #answers = new Set<string>()
  #catchUps = 0
  readonly #samples: string
  readonly #hello: string
  readonly #told: string
  readonly #behind: string

  constructor(parts: Parts) {
    const { ownTopics } = parts.bus
    this.#parts = parts
    this.#samples = `${ownTopics}/samples`
    this.#hello = `${ownTopics}/hello`
    this.#told = `${ownTopics}/told`
    this.#behind = `${ownTopics}/behind`
  }

  /** Tells everything that comes into `latest` from now on, and what an end before left untold. */
  async start(): Promise<void> {
    const { bus, latest } = this.#parts
    for (const sample of await this.#waiting()) this.#keep(sample)
    latest.onNewer((sample) => {
      this.#keep(sample)
      this.#tellSoon()
    })
    bus.listen(
      `${bus.ownTopics}/#`,
      (topic, payload) => this.#hear(topic, payload),
      () => {
        this.#tellSoon()
        if (this.#askers.size > 0) void this.#answering.ask()
        void this.#catchUp()
      }
    )
  }

  async stop(): Promise<void> {
    this.#parts.latest.onNewer(() => {})
    this.#stopping.abort()
    await this.#telling
  }

  /** Of values that wait until the others can be told. */
  get untoldBytes(): number {
    return this.#keptBytes + this.#leavingBytes
  }

  #keep(sample: Sample): void {
    const before = this.#untold.get(sample.topic)
    const bytes = sizeOf(sample) - (before ? sizeOf(before) : 0)
    if (this.untoldBytes + bytes > MAX_UNTOLD_BYTES) {
      this.#hasMore = true
      return
    }
    this.#untold.set(sample.topic, sample)
    this.#keptBytes += bytes
  }

  #hear(topic: string, payload: Buffer): void {
    const { node } = this.#parts
    if (topic === this.#samples) {
      if (payload.at(-1) !== LINE_END) return
      void this.#load([...decodeSamples(payload)])
    } else if (topic === this.#hello && payload.toString() !== node) {
      this.#askers.add(payload.toString())
      void this.#answering.ask()
    } else if (topic === this.#behind && payload.toString() !== node) {
      void this.#catchUp()
    } else if (topic === `${this.#told}/${node}`) {
      this.#answers.add(payload.toString())
    }
  }

  /** What was on its way when its installation was deleted must not come back. */
  async #load(samples: readonly Sample[]): Promise<void> {
    const { latest, directory } = this.#parts
    const isKnown = ({ installation_id }: Sample) => directory.installation(installation_id)
    if (!samples.every(isKnown)) await directory.catchUp().catch(() => {})
    for (const sample of samples.filter(isKnown)) latest.load(sample)
  }

  #tellSoon(): void {
    this.#telling ??= this.#tellAll().finally(() => {
      this.#telling = undefined
    })
  }

  async #tellAll(): Promise<void> {
    const { bus, log } = this.#parts
    const { signal } = this.#stopping
    while (this.#untold.size > 0 || this.#hasMore) {
      await wait(GATHER_MS)
      const samples = [...this.#untold.values()]
      const hasMore = this.#hasMore
      this.#untold.clear()
      this.#leavingBytes = this.#keptBytes
      this.#keptBytes = 0
      this.#hasMore = false
      try {
        for (const part of inParts(samples)) await bus.publish(this.#samples, part, { qos: 1 })
        if (hasMore) await bus.publish(this.#behind, this.#parts.node, { qos: 1 })
        this.#leavingBytes = 0
      } catch (err) {
        this.#leavingBytes = 0
        this.#hasMore ||= hasMore
        for (const sample of samples) if (!this.#untold.has(sample.topic)) this.#keep(sample)
        if (signal.aborted) return
        log.warn({ err }, 'other nodes do not hear of new values yet')
        await wait(RETRY_MS, undefined, { signal }).catch(() => {})
      }
    }
  }

  /** What is not in history yet is in the spool: the newest of each topic. */
  async #waiting(): Promise<Iterable<Sample>> {
    const newest = new Map<string, Sample>()
    for await (const rows of this.#parts.spool.rows()) {
      for (const sample of decodeSamples(rows)) {
        const other = newest.get(sample.topic)
        if (!other || other.timestamp <= sample.timestamp) newest.set(sample.topic, sample)
      }
    }
    return newest.values()
  }

  /** Told again to all who were away. */
  async #answer(): Promise<void> {
    const { bus, node, log } = this.#parts
    const askers = [...this.#askers]
    this.#askers.clear()
    try {
      for (const part of inParts(await this.#waiting())) {
        await bus.publish(this.#samples, part, { qos: 1 })
      }
      for (const asker of askers) await bus.publish(`${this.#told}/${asker}`, node, { qos: 1 })
    } catch (err) {
      if (this.#stopping.signal.aborted) return
      log.error({ err }, 'other nodes got no answer')
      for (const asker of askers) this.#askers.add(asker)
    }
  }

  /**
   * Only after all have answered is everything that was missed either heard or in history. However
   * long history is away, what they answered holds.
   */
  async #catchUp(): Promise<void> {
    const number = ++this.#catchUps
    // A later one, when the connection broke again, takes its place.
    const isWanted = () => number === this.#catchUps && !this.#stopping.signal.aborted
    await this.#untilDone(() => this.#askOthers(), isWanted)
    await this.#untilDone(() => this.#readHistory(isWanted), isWanted)
  }

  async #untilDone(step: () => Promise<void>, isWanted: () => boolean): Promise<void> {
    while (isWanted()) {
      try {
        return await step()
      } catch (err) {
        if (!isWanted()) return
        this.#parts.log.error({ err }, 'latest values may be behind; tried again')
        await wait(CATCH_UP_AGAIN, undefined, { signal: this.#stopping.signal }).catch(() => {})
      }
    }
  }

  async #askOthers(): Promise<void> {
    const { bus, claims, node } = this.#parts
    const { signal } = this.#stopping
    this.#answers = new Set()
    await bus.publish(this.#hello, node, { qos: 1 })
    const end = performance.now() + PATIENCE
    const isMissing = (nodes = Number.POSITIVE_INFINITY) => this.#answers.size + 1 < nodes
    while (isMissing(await claims.nodes()) && performance.now() < end) {
      await wait(SECOND / 10, undefined, { signal })
    }
  }

  async #readHistory(isWanted: () => boolean): Promise<void> {
    for await (const samples of this.#parts.history.latest()) {
      await this.#load(samples)
      if (!isWanted()) return
    }
  }
}

const sizeOf = ({ topic, msg }: Sample): number => topic.length + msg.length + SAMPLE_BYTES

/** Each of at most PART bytes, but for a sample that is larger by itself. */
function* inParts(samples: Iterable<Sample>): Generator<string> {
  let [part, bytes] = ['', 0]
  for (const sample of samples) {
    const line = encodeSample(sample)
    const size = Buffer.byteLength(line)
    if (part !== '' && bytes + size > PART) {
      yield part
      ;[part, bytes] = ['', 0]
    }
    part += line
    bytes += size
  }
  if (part !== '') yield part
}
