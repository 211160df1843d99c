import { randomUUID } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../http/errors.ts'
import { freeMemory } from '../../lib/free-memory.ts'
import { ownText } from '../../lib/own-text.ts'
import { msgBytes, sampleBytes } from '../../lib/quota.ts'
import { encodeSource, type Sample } from '../../lib/sample.ts'
import { SampleRows } from '../../lib/sample-bytes.ts'
import { MAX_TOPIC_BYTES } from '../../lib/topic.ts'
import { Turns } from '../../lib/turns.ts'
import type { UnixMs } from '../../lib/unix-time.ts'
import { dayOf } from '../../quota/account.ts'
import { excessText, type KnownTopics } from '../../quota/meter.ts'
import type { InstallationRef } from '../../registry/installations.ts'
import type { LogDeps } from './deps.ts'
import { checkFields, type Fields, ownTopic } from './sample-file.ts'

/** The size of a batch: large enough for the engine, small enough for the memory. */
const BATCH_ROWS = 50_000
const BATCH_BYTES = 4 * 1024 * 1024
/** So many samples get their ids at once. */
const PIECE_ROWS = 500
const PIECE_CHARACTERS = 48 * 1024
const MAX_ERRORS = 100
/** A file with more rejected lines is probably not a file of samples, so reading stops. */
const MAX_REJECTED = 100_000
const MAX_KNOWN_TOPICS = 10_000

/**
 * `bytes`: the counted size of a sample without a message. `source`: the part of a row that all
 * samples of the topic have in common.
 */
type Own = { topic: string; bytes: number; source: Uint8Array }
type Batch = {
  rows: number
  lastId: number
  /** The newest sample of each topic. */
  newest: Map<string, Sample>
  begun: UnixMs
  /** Bytes that were charged to the quotas, by month. */
  charged: Map<string, number>
}
const emptyBatch = (begun: UnixMs): Batch => ({
  ...{ rows: 0, lastId: 0, begun },
  newest: new Map(),
  charged: new Map()
})

type Parts = Pick<
  Deps & LogDeps,
  | 'history'
  | 'spool'
  | 'ids'
  | 'latest'
  | 'accounts'
  | 'meter'
  | 'directory'
  | 'clock'
  | 'hasRoom'
  | 'metrics'
  | 'judgeImport'
>

/** The disk is full up to its reserve. */
export class NoRoomForSamples extends Error {}
/** Too many lines were rejected. */
export class TooManyFaults extends Error {}
/** A quota is used up. */
export class OverQuota extends Error {}

/** One import. Lines become samples; full batches are written to history while reading goes on. */
export class ImportRun {
  readonly #parts: Parts
  readonly #installation: InstallationRef
  readonly #now: UnixMs
  /** By the text in the file. A text is the fault of the topic. */
  readonly #topics = new Map<string, Own | string>()
  readonly #rows = new SampleRows()
  /** These topics count in the quota until the run ends, even if they are not stored. */
  readonly #admitted = new Set<string>()
  readonly #samples: Sample[] = []
  /** For each of `#samples`. */
  readonly #sources: Uint8Array[] = []
  readonly #errors: { line: number; message: string }[] = []
  /** The number of characters in the messages of `#samples`. */
  #characters = 0
  #batch: Batch
  /** Batches that were charged to the quotas and are not stored yet. */
  readonly #unstored = new Set<Batch>()
  #storing: Promise<void> = Promise.resolve()
  /** The topics before the import, and those that others add. */
  #before: KnownTopics | undefined
  #stored = 0
  #rejected = 0

  constructor(parts: Parts, installation: InstallationRef) {
    this.#parts = parts
    this.#installation = installation
    this.#now = parts.clock()
    this.#batch = this.#newBatch()
  }

  /** Reads which topics there are. */
  async begin(): Promise<void> {
    const { accounts, meter } = this.#parts
    const place = accounts.findPlace(this.#installation.id)
    this.#before = place && (await meter.look(place))
  }

  /** Whether the quota of topics allows it already. */
  has(topic: string): boolean {
    return this.#admitted.has(topic) || (this.#before?.has(topic) ?? false)
  }

  get stored(): number {
    return this.#stored
  }

  get isFull(): boolean {
    return this.#batch.rows >= BATCH_ROWS || this.#rows.length >= BATCH_BYTES
  }

  take(fields: Fields, line: number): void {
    const checked = checkFields(fields, this.#now)
    const own = typeof checked === 'string' ? checked : this.#topicOf(checked.topic)
    if (typeof own === 'string' || typeof checked === 'string') {
      this.reject(String(own), line)
      return
    }
    const { id: installation_id, client_id } = this.#installation
    const { timestamp, value, msg } = checked
    this.#pay({ topic: own.topic, timestamp, bytes: own.bytes + msgBytes(msg) }, line)
    this.#samples.push({
      id: 0,
      installation_id,
      client_id,
      topic: own.topic,
      timestamp,
      value,
      msg
    })
    this.#sources.push(own.source)
    this.#characters += msg.length
    if (this.#samples.length >= PIECE_ROWS || this.#characters > PIECE_CHARACTERS) this.#encode()
  }

  #newBatch(): Batch {
    const batch = emptyBatch(this.#parts.clock())
    this.#unstored.add(batch)
    return batch
  }

  #pay(sample: { topic: string; timestamp: UnixMs; bytes: number }, line: number): void {
    const { accounts, meter, metrics } = this.#parts
    const { id } = this.#installation
    const { charged, begun } = this.#batch
    // Looked up each time: the organization may have changed since the import began.
    const place = accounts.findPlace(id)
    if (!place) return
    const excess = meter.takeSample(place, sample, begun, this)
    if (excess) {
      meter.note(excess)
      metrics.refused(excess.reason)
      throw new OverQuota(`line ${line}: ${excessText(excess, { kind: 'installation', id })}`)
    }
    this.#admitted.add(sample.topic)
    const month = meter.monthAt(sample.timestamp)
    charged.set(month, (charged.get(month) ?? 0) + sample.bytes)
  }

  #encode(): void {
    const { ids, clock } = this.#parts
    const batch = this.#batch
    const samples = this.#samples.splice(0)
    this.#characters = 0
    const first = ids.take(samples.length, clock())
    const sources = this.#sources.splice(0)
    for (let i = 0; i < samples.length; i++) {
      const sample = samples[i] as Sample
      sample.id = first + i
      this.#rows.add(sources[i] as Uint8Array, sample)
      const newest = batch.newest.get(sample.topic)
      if (!newest || sample.timestamp >= newest.timestamp) batch.newest.set(sample.topic, sample)
    }
    batch.rows += samples.length
    batch.lastId = first + samples.length - 1
  }

  reject(message: string, line: number): void {
    this.#rejected++
    if (this.#errors.length < MAX_ERRORS) this.#errors.push({ line, message })
    if (this.#rejected > MAX_REJECTED) {
      throw new TooManyFaults(`line ${line}: more than ${MAX_REJECTED} lines are rejected`)
    }
  }

  /** Resolves when the previous batch is stored, so that one is written while the next is read. */
  async store(): Promise<void> {
    if (this.#samples.length > 0) this.#encode()
    const batch = this.#batch
    const bytes = this.#rows.take()
    this.#batch = this.#newBatch()
    await this.#storing
    this.#storing = this.#store(batch, bytes)
    // The next await of #storing reports the failure.
    this.#storing.catch(() => {})
  }

  async finish() {
    await this.store()
    await this.#storing
    await this.#refuseDeleted()
    return { imported: this.#stored, rejected: this.#rejected, errors: this.#errors }
  }

  /** Waits until the batch under way is stored or has failed. */
  async settled(): Promise<void> {
    await this.#storing.catch(() => {})
  }

  /** Gives back the quota of topics without samples and of batches that were not stored. */
  async release(): Promise<void> {
    const { accounts, meter } = this.#parts
    const { id } = this.#installation
    await accounts.countTopics([id]).catch(() => {})
    for (const topic of this.#admitted) meter.release(id, topic, { isStored: false })
    const place = accounts.findPlace(id)
    if (!place) return
    for (const { begun, charged } of this.#unstored) {
      for (const [month, bytes] of charged) meter.charge(place, month, -bytes, dayOf(begun))
    }
  }

  async #store(batch: Batch, bytes: Buffer): Promise<void> {
    const { rows, lastId, newest } = batch
    if (rows === 0) return
    const { history, spool, latest, metrics, judgeImport } = this.#parts
    if (!this.#parts.hasRoom()) throw new NoRoomForSamples()
    await this.#refuseDeleted()
    await spool.reserve(lastId)
    const turns = new Turns()
    // A new token each time: the same file may bring back what was deleted. [ADR-0047]
    await history.append(bytes, `import:${randomUUID()}`)
    this.#unstored.delete(batch)
    for (const sample of newest.values()) {
      latest.stored(sample)
      if (turns.isOver(4)) await turns.next()
    }
    this.#stored += rows
    metrics.imported(rows)
    await judgeImport(this.#installation, bytes)
    freeMemory(bytes)
  }

  /** If the installation was deleted meanwhile, erases its samples again and throws. */
  async #refuseDeleted(): Promise<void> {
    const { directory, history, latest } = this.#parts
    const { id } = this.#installation
    await directory.catchUp()
    if (directory.installation(id)) return
    if (this.#stored > 0) await history.erase(id)
    latest.erase(id)
    throw notFound()
  }

  #topicOf(text: string): Own | string {
    // Too long for a topic, so it is not remembered.
    if (text.length > MAX_TOPIC_BYTES) return this.#ownOf(text)
    let own = this.#topics.get(text)
    if (own === undefined) {
      own = this.#ownOf(text)
      if (this.#topics.size >= MAX_KNOWN_TOPICS) this.#topics.clear()
      this.#topics.set(ownText(text), own)
    }
    return own
  }

  #ownOf(text: string): Own | string {
    const { id: installation_id, client_id } = this.#installation
    const own = ownTopic(client_id, text)
    if (typeof own === 'string') return own
    const topic = ownText(own.topic)
    const source = Buffer.from(encodeSource({ installation_id, client_id, topic }))
    return { topic, source, bytes: sampleBytes(topic, '') }
  }
}
