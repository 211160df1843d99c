import { randomUUID } from 'node:crypto'
import { claimContent, releaseContents } from '../features/file/contents.ts'
import type { Incoming } from '../features/file/store.ts'
import { MAX_FILE } from '../features/file/uploads.ts'
import { MonthNames } from '../lib/month-names.ts'
import { sampleBytes } from '../lib/quota.ts'
import { encodeSample, type Sample } from '../lib/sample.ts'
import { isWithinTopicLimits } from '../lib/topic.ts'
import { Turns } from '../lib/turns.ts'
import type { MonthBytes } from '../quota/usage.ts'
import type { InstallationRef } from '../registry/installations.ts'
import { findModelx, insertSomeModelx, type ModelxCopy, rewriteModelx } from '../registry/modelx.ts'
import { mapsOf, metaTexts } from '../registry/modelx-meta.ts'
import type { ModelxKind } from '../registry/tables.ts'
import type { SiteParts } from './parts.ts'
import type { RecordOf } from './records.ts'
import type { References } from './references.ts'

/** So many objects are written in one transaction, so that others do not wait for long. */
const OBJECTS_PER_GROUP = 100
const BATCH_ROWS = 50_000
const BATCH_BYTES = 4 * 1024 * 1024
/** More values of one topic at one time are stored in the order of the file. */
const MAX_SORTED = 10_000

type Ids = Record<ModelxKind, Map<number, number>>

/** Functions and devices of an installation that nobody sees yet. */
export class ObjectLoader {
  readonly #parts: SiteParts
  readonly #ref: InstallationRef
  readonly #ids: Ids
  readonly #references: References
  #group: (ModelxCopy & { oldId: number; isWhole: boolean })[] = []
  /** They refer to objects that came after them in the file. */
  readonly #unfinished: { kind: ModelxKind; id: number; oldId: number }[] = []

  constructor(parts: SiteParts, ref: InstallationRef, ids: Ids, references: References) {
    this.#parts = parts
    this.#ref = ref
    this.#ids = ids
    this.#references = references
  }

  async add(kind: ModelxKind, record: RecordOf<'device'>): Promise<void> {
    const { id, type, created, updated } = record
    const where = `${kind} ${id}`
    const meta = this.#references.meta(record.meta, where, false)
    const hidden = this.#references.meta(record.protected_meta, where, false)
    const isWhole = meta.isWhole && hidden.isWhole
    // What is not whole is put right in one go later: no reference is changed twice.
    const maps = isWhole ? { meta: meta.map, protected_meta: hidden.map } : record
    const texts = metaTexts(maps)
    this.#group.push({ kind, type, ...texts, created, updated, oldId: id, isWhole })
    if (this.#group.length >= OBJECTS_PER_GROUP) await this.#store()
  }

  async finish(): Promise<void> {
    await this.#store()
    for (const { kind, id, oldId } of this.#unfinished) {
      const { id: installation_id } = this.#ref
      const row = await findModelx(this.#parts.registry, { kind, id, installation_id })
      if (!row) continue
      const { meta, protected_meta } = mapsOf(row)
      const where = `${kind} ${oldId}`
      const texts = metaTexts({
        meta: this.#references.meta(meta, where, true).map,
        protected_meta: this.#references.meta(protected_meta, where, true).map
      })
      await rewriteModelx(this.#parts.registry, id, texts)
    }
  }

  async #store(): Promise<void> {
    const group = this.#group
    this.#group = []
    if (group.length === 0) return
    const { registry, lineage } = this.#parts
    await lineage.note()
    await lineage.ahead()
    const copies = group.map(({ oldId: _, isWhole: __, ...copy }) => copy)
    const ids = await insertSomeModelx(registry, this.#ref.id, copies)
    for (const [i, { kind, oldId, isWhole }] of group.entries()) {
      const id = ids[i] ?? 0
      this.#ids[kind].set(oldId, id)
      if (!isWhole) this.#unfinished.push({ kind, id, oldId })
    }
  }
}

/** Samples of an installation that nobody sees yet. They get new ids. */
export class SampleLoader {
  readonly #parts: SiteParts
  readonly #ref: InstallationRef
  readonly #prefix: number
  readonly #months = new MonthNames()
  readonly #bytes = new Map<string, number>()
  readonly topics = new Set<string>()
  /** Samples of one topic and time. Their order is that of their arrival. */
  #moment: Sample[] = []
  #batch: Sample[] = []
  #batchBytes = 0

  constructor(parts: SiteParts, ref: InstallationRef, oldClientId: number) {
    this.#parts = parts
    this.#ref = ref
    this.#prefix = String(oldClientId).length
  }

  /** Bytes by month, as quotas count them. */
  get months(): MonthBytes[] {
    const installation_id = this.#ref.id
    return [...this.#bytes].map(([month, bytes]) => ({ installation_id, month, bytes }))
  }

  async add(samples: readonly Sample[]): Promise<void> {
    for (const sample of samples) {
      const [first] = this.#moment
      const isNew = first && (first.timestamp !== sample.timestamp || first.topic !== sample.topic)
      if (isNew || this.#moment.length >= MAX_SORTED) this.#closeMoment()
      this.#moment.push(sample)
    }
    if (this.#batch.length >= BATCH_ROWS || this.#batchBytes >= BATCH_BYTES) await this.#store()
  }

  async finish(): Promise<void> {
    this.#closeMoment()
    await this.#store()
  }

  /** Latest values whose samples may be too old for history. */
  async addLatest(samples: readonly Sample[]): Promise<void> {
    const moved = samples.map((sample) => this.#moved(sample))
    await this.#write(moved, (rows, token) => this.#parts.history.keepLatest(rows, token))
  }

  #closeMoment(): void {
    const moment = this.#moment
    this.#moment = []
    if (moment.length > 1) moment.sort((a, b) => a.id - b.id)
    for (const sample of moment) {
      const moved = this.#moved(sample)
      const bytes = sampleBytes(moved.topic, moved.msg)
      const month = this.#months.at(moved.timestamp)
      this.#bytes.set(month, (this.#bytes.get(month) ?? 0) + bytes)
      this.#batch.push(moved)
      this.#batchBytes += bytes
    }
  }

  #moved(sample: Sample): Sample {
    const { id: installation_id, client_id } = this.#ref
    const topic = client_id + sample.topic.slice(this.#prefix)
    if (!this.topics.has(topic)) {
      if (!isWithinTopicLimits(topic)) throw new Error(`the topic ${topic} gets too long here`)
      this.topics.add(topic)
    }
    return { ...sample, installation_id, client_id, topic }
  }

  async #store(): Promise<void> {
    const batch = this.#batch
    this.#batch = []
    this.#batchBytes = 0
    await this.#write(batch, (rows, token) => this.#parts.history.append(rows, token))
  }

  async #write(
    samples: readonly Sample[],
    store: (rows: Buffer, token: string) => Promise<void>
  ): Promise<void> {
    if (samples.length === 0) return
    const { ids, clock, spool, hasRoom } = this.#parts
    if (!hasRoom())
      throw new Error('the disk is full up to its reserve: make room, and start again')
    let id = ids.take(samples.length, clock())
    const turns = new Turns()
    const pieces: Buffer[] = []
    let text = ''
    for (const sample of samples) {
      text += encodeSample({ ...sample, id: id++ })
      if (!turns.isOver()) continue
      pieces.push(Buffer.from(text))
      text = ''
      await turns.next()
    }
    pieces.push(Buffer.from(text))
    await spool.reserve(id - 1)
    await store(Buffer.concat(pieces), `site:${randomUUID()}`)
  }
}

/** Contents of files. They are claimed until the files refer to them. */
export class ContentLoader {
  readonly #parts: SiteParts
  readonly #claims: { hash: string; claimed: number }[] = []
  #incoming: Incoming | undefined

  constructor(parts: SiteParts) {
    this.#parts = parts
  }

  async begin({ size }: RecordOf<'content'>): Promise<void> {
    this.#incoming = await this.#parts.files.receive(MAX_FILE)
    if (size === 0) await this.#place(this.#incoming)
  }

  async add(bytes: Buffer, isLast: boolean): Promise<void> {
    const incoming = this.#incoming
    if (!incoming) throw new Error('a content has no record')
    await incoming.write(bytes)
    if (isLast) await this.#place(incoming)
  }

  /** Files refer to the contents now, or nobody needs them. */
  async release(): Promise<void> {
    const { registry, clock } = this.#parts
    await this.#incoming?.discard().catch(() => {})
    for (const { hash, claimed } of this.#claims) {
      await releaseContents(registry, [hash], { claimed, now: clock() })
    }
  }

  async #place(incoming: Incoming): Promise<void> {
    const { registry, files, clock } = this.#parts
    await incoming.finish()
    const claimed = clock()
    await claimContent(registry, incoming.hash, claimed)
    this.#claims.push({ hash: incoming.hash, claimed })
    await files.place(incoming)
    await incoming.discard()
    this.#incoming = undefined
  }
}
