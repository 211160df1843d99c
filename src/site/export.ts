import { once } from 'node:events'
import { rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { badRequest } from '../http/errors.ts'
import { decodeSamples, encodeSample, type Sample } from '../lib/sample.ts'
import { syncPath } from '../lib/sync-path.ts'
import { Turns } from '../lib/turns.ts'
import { type UnixMs, unixMs } from '../lib/unix-time.ts'
import { findInstallation, type InstallationRecord } from '../registry/installations.ts'
import { inSnapshot } from '../registry/snapshot.ts'
import { collectSite } from './collect.ts'
import { FrameWriter } from './frames.ts'
import { findLeftBehind, type LeftBehind } from './left-behind.ts'
import type { Going, SiteParts } from './parts.ts'
import { maxRecords, type RecordKind, type RecordOf, recordLine } from './records.ts'

export type Exported = {
  installation_id: number
  name: string
  file: string
  bytes: number
  counts: Record<string, number>
  /** Notification executors that the target must have under the same name. */
  executors: string[]
  left_behind: LeftBehind[]
}

/** Frames of about this size. */
const FRAME_BYTES = 256 * 1024
const TOPICS_PER_READ = 50

/** What was there when the export began: by arrival, or by its own time. */
type Moment = { lastId: number; time: UnixMs }

/**
 * Writes an installation to a file. Objects are those of one moment. Every value that was
 * acknowledged before is in the file.
 */
export async function exportSite(
  parts: SiteParts,
  { installationId, file }: { installationId: number; file: string },
  going: Going
): Promise<Exported> {
  if (await stat(file).catch(() => undefined)) throw badRequest(`${file} is already there`)
  const partial = `${file}.partial`
  const writer = await FrameWriter.open(partial)
  try {
    const run = new ExportRun(parts, writer, going)
    const exported = await run.write(installationId)
    await writer.close()
    await rename(partial, file)
    await syncPath(dirname(file))
    return { ...exported, file }
  } catch (error) {
    await writer.close().catch(() => {})
    await rm(partial, { force: true })
    throw error
  }
}

class ExportRun {
  readonly #parts: SiteParts
  readonly #writer: FrameWriter
  readonly #going: Going
  readonly #counts: Record<string, number> = {}
  readonly #turns = new Turns()
  #lines: string[] = []
  #characters = 0

  constructor(parts: SiteParts, writer: FrameWriter, going: Going) {
    this.#parts = parts
    this.#writer = writer
    this.#going = going
  }

  async write(installationId: number) {
    const { clock, ids, removals, registry, dataDir } = this.#parts
    const time = clock()
    const moment = { time, lastId: Math.max(ids.last, (time + 1) * 1000 - 1) }
    await removals.settle()
    const files: RecordOf<'file'>[] = []
    const executors = new Set<string>()
    const { installation, left_behind } = await inSnapshot(registry, dataDir, async (registry) => {
      const installation = await findInstallation(registry, installationId)
      if (!installation) throw badRequest(`there is no installation ${installationId}`)
      await collectSite(registry, installation, {
        exported: time,
        take: async (kind, record) => {
          if (kind === 'file') files.push(record as RecordOf<'file'>)
          if (kind === 'output') executors.add((record as RecordOf<'output'>).executor.name)
          await this.#record(kind, record)
        }
      })
      return { installation, left_behind: await findLeftBehind(registry, installationId) }
    })
    await this.#flush('record')
    await this.#writeHistory(installation, moment)
    await this.#writeLatest(installation, moment)
    await this.#writeContents(files)
    await this.#writer.end(this.#counts)
    this.#going.onProgress(1)
    const { id, name } = installation
    return {
      ...{ installation_id: id, name, left_behind },
      ...{ bytes: this.#writer.bytes, counts: this.#counts, executors: [...executors] }
    }
  }

  async #record<Kind extends RecordKind>(kind: Kind, record: RecordOf<Kind>): Promise<void> {
    this.#going.signal.throwIfAborted()
    this.#line(kind, recordLine(kind, record))
    if ((this.#counts[kind] ?? 0) > maxRecords[kind]) {
      throw new Error(`no file of a site has more than ${maxRecords[kind]} of the kind ${kind}`)
    }
    if (this.#isFull) await this.#flush('record')
    else if (this.#turns.isLate()) await this.#turns.next()
  }

  #line(name: string, text: string): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + 1
    this.#lines.push(text)
    this.#characters += text.length
  }

  get #isFull(): boolean {
    return this.#characters >= FRAME_BYTES
  }

  async #flush(kind: 'record' | 'sample' | 'latest'): Promise<void> {
    const lines = this.#lines
    this.#lines = []
    this.#characters = 0
    if (lines.length > 0) await this.#writer.write(kind, Buffer.from(lines.join('')))
  }

  async #writeContents(files: readonly RecordOf<'file'>[]): Promise<void> {
    const sizes = new Map(files.map(({ hash, size }) => [hash, size]))
    for (const [hash, size] of sizes) {
      await this.#record('content', { hash, size })
      await this.#flush('record')
      const { content } = await this.#parts.files.read(hash)
      let left = size
      try {
        for await (const chunk of content) {
          this.#going.signal.throwIfAborted()
          const bytes = Buffer.from(chunk)
          left -= bytes.length
          await this.#writer.write('content', bytes)
        }
      } finally {
        if ('destroy' in content) await ended(content as never)
      }
      if (left !== 0) throw new Error(`the content ${hash} is damaged: restore it from a backup`)
    }
    await this.#flush('record')
  }

  async #writeHistory({ id }: InstallationRecord, moment: Moment): Promise<void> {
    const { history } = this.#parts
    const { months } = await history.sizes()
    const all = months.reduce((sum, { bytes }) => sum + bytes, 1)
    let done = 0
    for (const { name, bytes } of months) {
      const from = { installation_id: id, topic: '', timestamp: unixMs(0), skip: 0 }
      for await (const { rows, next } of history.readMonth(name, from)) {
        this.#going.signal.throwIfAborted()
        for (const sample of decodeSamples(rows)) {
          if (sample.installation_id !== id) break
          if (isThen(sample, moment)) this.#line('sample', encodeSample(sample))
          if (this.#isFull) await this.#flush('sample')
          else if (this.#turns.isOver()) await this.#turns.next()
        }
        if (next.installation_id !== id) break
      }
      done += bytes
      this.#going.onProgress((0.98 * done) / all)
    }
    await this.#flush('sample')
  }

  /** The values of topics whose samples are too old for history, and all others too. */
  async #writeLatest({ id }: InstallationRecord, moment: Moment): Promise<void> {
    const { latest, history } = this.#parts
    const topics = await latest.topics(id, undefined)
    for (let at = 0; at < topics.length; at += TOPICS_PER_READ) {
      this.#going.signal.throwIfAborted()
      const some = topics.slice(at, at + TOPICS_PER_READ)
      for (const sample of await history.latestOf(id, some)) {
        if (isThen(sample, moment)) this.#line('latest', encodeSample(sample))
      }
      if (this.#isFull) await this.#flush('latest')
    }
    await this.#flush('latest')
  }
}

/**
 * A value that is sent again gets a new id, so what is not newer than the moment by its own time is
 * taken too.
 */
const isThen = ({ id, timestamp }: Sample, { lastId, time }: Moment): boolean =>
  id <= lastId || timestamp <= time

async function ended(content: NodeJS.EventEmitter & { closed: boolean; destroy(): void }) {
  if (content.closed) return
  const closed = once(content, 'close')
  content.destroy()
  await closed
}
