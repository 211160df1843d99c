import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Bus } from '../bus/bus.ts'
import type { History } from '../history/history.ts'
import type { Latest } from '../history/latest/latest.ts'
import type { Spool } from '../history/spool/spool.ts'
import { Rounds } from '../lib/rounds.ts'
import { decodeSamples, encodeSample, type Sample } from '../lib/sample.ts'
import { SECOND } from '../lib/unix-time.ts'
import type { Directory } from '../permission/directory.ts'
import type { Claims } from '../registry/claims.ts'
import type { RemovalTask } from './removals.ts'

/** The bus of a broker that all nodes share. */
export type SharedBus = Bus & {
  /**
   * Only this platform publishes and listens under this topic. No filter of a device matches it.
   */
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
  /** The id of this node, which its data directory keeps. */
  node: string
  /** Does what another node asks for a removal. */
  doTask: (task: RemovalTask) => Promise<void>
}

type Question = { asker: string; number: number; task: RemovalTask }

const LINE_END = 10
const GATHER_MS = 20
const RETRY_MS = SECOND
const PART_BYTES = 128 * 1024
/** Of new values that are kept while the broker is away. */
export const MAX_UNTOLD_BYTES = 16 * 1024 * 1024
/** Of values from the spool that are collected before they are published. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
/** The approximate memory of a sample without its texts. */
const SAMPLE_OVERHEAD_BYTES = 128
/** How long to wait for nodes that do not answer, because they have just stopped. */
const ANSWER_LIMIT_MS = 5 * SECOND
const CATCH_UP_AGAIN_MS = 5 * SECOND

/**
 * [ADR-0020] Keeps the latest values the same on all nodes. Each node publishes its new latest
 * values. A node that was away asks the others for values that are not yet in history, and then
 * reads history.
 */
export class Peers {
  readonly #parts: Parts
  /** By topic, so there is one value for each topic, however long the broker is away. */
  readonly #untold = new Map<string, Sample>()
  #keptBytes = 0
  /** Of values that are being published. */
  #leavingBytes = 0
  /** There were too many values to keep. The other nodes have to read history. */
  #hasMore = false
  readonly #stopping = new AbortController()
  #telling: Promise<void> | undefined
  /** Nodes that wait for an answer. A node that asks during an answer gets the next one. */
  readonly #askers = new Set<string>()
  readonly #answering = new Rounds(() => this.#answer())
  #answers = new Set<string>()
  #catchUps = 0
  readonly #samples: string
  readonly #hello: string
  readonly #told: string
  readonly #behind: string
  readonly #ask: string
  readonly #done: string
  /** The nodes that have done a task, by the number of its question. */
  readonly #doneBy = new Map<number, Set<string>>()
  #questions = 0

  constructor(parts: Parts) {
    const { ownTopics } = parts.bus
    this.#parts = parts
    this.#samples = `${ownTopics}/samples`
    this.#hello = `${ownTopics}/hello`
    this.#told = `${ownTopics}/told`
    this.#behind = `${ownTopics}/behind`
    this.#ask = `${ownTopics}/ask`
    this.#done = `${ownTopics}/done`
  }

  /**
   * Publishes every new value of `latest` from now on, and what the last process did not publish.
   */
  async start(): Promise<void> {
    const { bus, latest } = this.#parts
    for await (const samples of this.#waiting()) {
      for (const sample of samples) if (isNewest(sample, this.#untold)) this.#keep(sample)
    }
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

  /** True when all other nodes have done it, false if one does not answer. */
  async askAll(task: RemovalTask): Promise<boolean> {
    const { bus, claims, node } = this.#parts
    if ((await claims.nodes()) === 1) return true
    const number = ++this.#questions
    const done = new Set<string>()
    this.#doneBy.set(number, done)
    try {
      const question: Question = { asker: node, number, task }
      await bus.publish(this.#ask, JSON.stringify(question), { qos: 1 })
      return await this.#isAnswered(done)
    } finally {
      this.#doneBy.delete(number)
    }
  }

  /** Of values that wait until they can be published. */
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
    } else if (topic === this.#ask) {
      void this.#doTask(payload.toString())
    } else if (topic === `${this.#done}/${node}`) {
      const [number, by = ''] = payload.toString().split(' ')
      this.#doneBy.get(Number(number))?.add(by)
    }
  }

  /** A node that cannot do it does not answer. */
  async #doTask(text: string): Promise<void> {
    const { bus, node, doTask, log } = this.#parts
    try {
      const { asker, number, task }: Question = JSON.parse(text)
      if (asker === node) return
      await doTask(task)
      await bus.publish(`${this.#done}/${asker}`, `${number} ${node}`, { qos: 1 })
    } catch (err) {
      log.warn({ err }, 'what another node asked for could not be done')
    }
  }

  /** Values of an installation that was deleted in the meantime must not come back. */
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
        log.warn({ err }, 'new values could not be sent to the other nodes yet')
        await wait(RETRY_MS, undefined, { signal }).catch(() => {})
      }
    }
  }

  /**
   * The newest value of each topic in the spool, because it may not be in history yet. A long spool
   * comes in several parts, so a topic may come again with a later value.
   */
  async *#waiting(): AsyncGenerator<Sample[]> {
    const newest = new Map<string, Sample>()
    let bytes = 0
    for await (const rows of this.#parts.spool.rows()) {
      for (const sample of decodeSamples(rows)) {
        if (!isNewest(sample, newest)) continue
        const before = newest.get(sample.topic)
        bytes += sizeOf(sample) - (before ? sizeOf(before) : 0)
        newest.set(sample.topic, sample)
      }
      if (bytes < MAX_ANSWER_BYTES) continue
      yield [...newest.values()]
      newest.clear()
      bytes = 0
    }
    yield [...newest.values()]
  }

  /** Publishes the values of the spool again, for all nodes that were away. */
  async #answer(): Promise<void> {
    const { bus, node, log } = this.#parts
    const askers = [...this.#askers]
    this.#askers.clear()
    try {
      for await (const samples of this.#waiting()) {
        for (const part of inParts(samples)) await bus.publish(this.#samples, part, { qos: 1 })
      }
      for (const asker of askers) await bus.publish(`${this.#told}/${asker}`, node, { qos: 1 })
    } catch (err) {
      if (this.#stopping.signal.aborted) return
      log.error({ err }, 'the other nodes could not be answered yet')
      for (const asker of askers) this.#askers.add(asker)
    }
  }

  /**
   * When all nodes have answered, everything that this node missed was either received or is in
   * history. The answers stay valid, however long history is away.
   */
  async #catchUp(): Promise<void> {
    const number = ++this.#catchUps
    // If the connection breaks again, a later catch-up takes the place of this one.
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
        this.#parts.log.error({ err }, 'latest values may be out of date; the node tries again')
        await wait(CATCH_UP_AGAIN_MS, undefined, { signal: this.#stopping.signal }).catch(() => {})
      }
    }
  }

  async #askOthers(): Promise<void> {
    const { bus, node } = this.#parts
    this.#answers = new Set()
    await bus.publish(this.#hello, node, { qos: 1 })
    await this.#isAnswered(this.#answers)
  }

  async #isAnswered(answers: ReadonlySet<string>): Promise<boolean> {
    const { signal } = this.#stopping
    const end = performance.now() + ANSWER_LIMIT_MS
    const isMissing = (nodes = Number.POSITIVE_INFINITY) => answers.size + 1 < nodes
    while (isMissing(await this.#parts.claims.nodes())) {
      if (performance.now() >= end) return false
      await wait(SECOND / 20, undefined, { signal })
    }
    return true
  }

  async #readHistory(isWanted: () => boolean): Promise<void> {
    for await (const samples of this.#parts.history.latest()) {
      await this.#load(samples)
      if (!isWanted()) return
    }
  }
}

const isNewest = ({ topic, timestamp }: Sample, newest: ReadonlyMap<string, Sample>): boolean =>
  (newest.get(topic)?.timestamp ?? timestamp) <= timestamp

const sizeOf = ({ topic, msg }: Sample): number => topic.length + msg.length + SAMPLE_OVERHEAD_BYTES

/** Parts of at most PART_BYTES. Only a single sample may be larger. */
function* inParts(samples: Iterable<Sample>): Generator<string> {
  let [part, bytes] = ['', 0]
  for (const sample of samples) {
    const line = encodeSample(sample)
    const size = Buffer.byteLength(line)
    if (part !== '' && bytes + size > PART_BYTES) {
      yield part
      ;[part, bytes] = ['', 0]
    }
    part += line
    bytes += size
  }
  if (part !== '') yield part
}
