import { createHash, type Hash } from 'node:crypto'
import { MAX_CHARACTERS_TOGETHER } from '../features/mapping/rows.ts'
import { decodeSamples, type Sample } from '../lib/sample.ts'
import { Turns } from '../lib/turns.ts'
import { DAY, type UnixMs } from '../lib/unix-time.ts'
import { BadSite } from './bad-site.ts'
import { isRow, recordChecks, sampleFault } from './checks.ts'
import { type Frame, FrameReader } from './frames.ts'
import {
  maxRecords,
  parseRecord,
  type RecordKind,
  type RecordOf,
  recordKinds,
  type SiteRecord
} from './records.ts'

/** What a file has, one part after the other. Everything in it is checked. */
export type SitePart =
  | ({ of: 'record' } & SiteRecord)
  | { of: 'content'; bytes: Buffer; isLast: boolean }
  | { of: 'samples'; samples: Sample[] }
  | { of: 'latest'; samples: Sample[] }

export type SiteCounts = { [name: string]: number }

type Reading = {
  now: UnixMs
  signal: AbortSignal
  /** Takes the finished part, 0 to 1. */
  onProgress: (done: number) => void
  /** Gets the checksum of the whole file. */
  onEnd?: (sha256: string) => void
}

/** A frame of samples has about 256 KiB, and the last row in it may be long. */
const MAX_SAMPLE_FRAME_BYTES = 2 * 1024 * 1024
const SAMPLES_PER_PART = 1000
/** Records of all kinds together, uncompressed. */
const MAX_RECORD_BYTES = 8 * 1024 ** 3
/** Those that are kept in memory until the end: all but functions and devices. */
const MAX_KEPT_BYTES = 256 * 1024 ** 2
const MAX_OBJECTS = 1_000_000

/** Reads the file from the beginning to its end; throws `BadSite` at the first thing that is wrong. */
export async function* readSite(path: string, reading: Reading): AsyncGenerator<SitePart> {
  const frames = await FrameReader.open(path)
  const check = new SiteCheck(reading.now)
  const turns = new Turns()
  try {
    for await (const { kind, bytes } of frames.frames()) {
      reading.signal.throwIfAborted()
      if (kind === 'record') {
        for (const part of check.records(bytes)) {
          yield part
          if (turns.isLate()) await turns.next()
        }
      } else if (kind === 'content') yield check.content(bytes)
      else if (kind === 'sample' || kind === 'latest') {
        for (const samples of check.samples(kind, bytes)) {
          yield { of: kind === 'latest' ? 'latest' : 'samples', samples }
          if (turns.isLate()) await turns.next()
        }
      }
      reading.onProgress(frames.at / frames.size)
    }
    check.end(frames.end?.counts ?? {})
    reading.onEnd?.(frames.end?.sha256 ?? '')
  } finally {
    await frames.close()
  }
}

/** The rules that hold between the parts of a file. */
class SiteCheck {
  readonly #latest: number
  readonly #counts: SiteCounts = {}
  readonly #ids = new Map<RecordKind, Set<number>>()
  /** Sizes of contents by hash; `isHere` when their bytes were read. */
  readonly #contents = new Map<string, { size: number; isHere: boolean }>()
  readonly #versions = new Set<string>()
  #head: RecordOf<'head'> | undefined
  #open: { hash: string; left: number; digest: Hash } | undefined
  #rank = -1
  #section = 0
  #lines = 0
  #recordBytes = 0
  #keptBytes = 0
  #mappingCharacters = 0

  constructor(now: UnixMs) {
    this.#latest = now + DAY
  }

  *records(bytes: Buffer): Generator<SitePart> {
    const text = bytes.toString('utf8')
    if (!text.endsWith('\n')) throw new BadSite(`record ${this.#lines + 1}: it is cut off`)
    for (let start = 0; start < text.length; ) {
      const end = text.indexOf('\n', start)
      const line = text.slice(start, end)
      start = end + 1
      this.#lines++
      const found = parseRecord(line, this.#lines)
      this.#check(found, line.length)
      yield { of: 'record', ...found }
    }
  }

  content(bytes: Buffer): SitePart {
    const open = this.#open
    if (!open || bytes.length === 0 || bytes.length > open.left) {
      throw new BadSite('a content is longer than its record says')
    }
    open.digest.update(bytes)
    open.left -= bytes.length
    const isLast = open.left === 0
    if (isLast) this.#closeContent(open)
    return { of: 'content', bytes, isLast }
  }

  *samples(kind: Frame['kind'], bytes: Buffer): Generator<Sample[]> {
    this.#enter(kind === 'sample' ? 1 : 2)
    if (bytes.length > MAX_SAMPLE_FRAME_BYTES) throw new BadSite('a group of values is too large')
    const head = this.#requireHead()
    const of = { ...head, latest: this.#latest }
    const lines = bytes.toString('utf8').split('\n')
    if (lines.pop() !== '') throw new BadSite('a group of values is cut off')
    for (let at = 0; at < lines.length; at += SAMPLES_PER_PART) {
      const some = lines.slice(at, at + SAMPLES_PER_PART)
      const wrong = some.find((line) => !isRow(line))
      if (wrong !== undefined) throw new BadSite('a value is not written as a value')
      const samples = [...decodeSamples(Buffer.from(`${some.join('\n')}\n`))]
      for (const sample of samples) {
        const fault = sampleFault(sample, of)
        if (fault) throw new BadSite(`a value cannot be stored: ${fault}`)
      }
      this.#count(kind, samples.length)
      yield samples
    }
  }

  end(counts: SiteCounts): void {
    this.#requireHead()
    if (!this.#counts['installation']) throw new BadSite('it has no installation')
    if (this.#open || [...this.#contents.values()].some(({ isHere }) => !isHere)) {
      throw new BadSite('the content of a file is missing')
    }
    const names = new Set([...Object.keys(counts), ...Object.keys(this.#counts)])
    for (const name of names) {
      if (counts[name] !== this.#counts[name]) {
        throw new BadSite(`it has ${this.#counts[name] ?? 0} of ${name}, not ${counts[name]}`)
      }
    }
  }

  /** Records come first, then samples, then latest values, then contents. */
  #enter(section: number): void {
    if (section < this.#section) throw new BadSite('its parts are not in order')
    this.#section = section
  }

  #requireHead(): RecordOf<'head'> {
    if (!this.#head || this.#open) throw new BadSite('its parts are not in order')
    return this.#head
  }

  #check(found: SiteRecord, characters: number): void {
    const { kind, record } = found
    const wrong = (why: string) => new BadSite(`record ${this.#lines}, ${kind}: ${why}`)
    const rank = recordKinds.indexOf(kind)
    this.#enter(kind === 'content' ? 3 : 0)
    if (kind !== 'head') this.#requireHead()
    if (rank < this.#rank || (rank > 1 && this.#rank < 1)) throw wrong('it is not in order')
    this.#rank = rank
    this.#count(kind, 1)
    const objects = (this.#counts['device'] ?? 0) + (this.#counts['function'] ?? 0)
    if ((this.#counts[kind] ?? 0) > maxRecords[kind] || objects > MAX_OBJECTS) {
      throw wrong('there are too many')
    }
    this.#recordBytes += characters
    if (kind !== 'device' && kind !== 'function') this.#keptBytes += characters
    if (this.#recordBytes > MAX_RECORD_BYTES || this.#keptBytes > MAX_KEPT_BYTES) {
      throw wrong('the records are too large')
    }
    if ('id' in record) this.#addId(kind, record.id, wrong)
    if (found.kind === 'mapping') {
      this.#mappingCharacters += JSON.stringify(found.record.values).length
      if (this.#mappingCharacters > MAX_CHARACTERS_TOGETHER)
        throw wrong('all together are too long')
    }
    try {
      // The kind and the record belong together, which the types cannot say.
      recordChecks[kind]?.(record as never, this.#head?.client_id ?? 0)
    } catch (error) {
      throw wrong((error as Error).message)
    }
    this.#checkLinks(found, wrong)
  }

  #addId(kind: RecordKind, id: number, wrong: (why: string) => BadSite): void {
    const ids = this.#ids.get(kind) ?? new Set()
    if (ids.has(id)) throw wrong(`the id ${id} is there twice`)
    this.#ids.set(kind, ids.add(id))
  }

  #checkLinks(found: SiteRecord, wrong: (why: string) => BadSite): void {
    const { kind, record } = found
    const requires = (of: RecordKind, id: number) => {
      if (!this.#ids.get(of)?.has(id)) throw wrong(`there is no ${of} ${id}`)
    }
    if (kind === 'head') this.#head = record
    if (kind === 'output') requires('message', record.message)
    if (kind === 'version') {
      requires('app', record.app)
      const version = `${record.app} ${record.hash}`
      if (this.#versions.has(version)) throw wrong('the version is there twice')
      this.#versions.add(version)
    }
    if (kind === 'instance' && !this.#versions.has(`${record.app} ${record.hash}`)) {
      throw wrong('its version is not there')
    }
    if (kind === 'file') {
      const known = this.#contents.get(record.hash)
      if (known && known.size !== record.size) throw wrong('two files differ in size')
      this.#contents.set(record.hash, { size: record.size, isHere: false })
    }
    if (kind === 'content') this.#beginContent(record, wrong)
  }

  #beginContent({ hash, size }: RecordOf<'content'>, wrong: (why: string) => BadSite): void {
    const content = this.#contents.get(hash)
    if (!content || content.isHere || content.size !== size) throw wrong('no file has this content')
    const open = { hash, left: size, digest: createHash('sha256') }
    if (size === 0) this.#closeContent(open)
    else this.#open = open
  }

  #closeContent({ hash, digest }: { hash: string; digest: Hash }): void {
    if (digest.digest('hex') !== hash) throw new BadSite(`the content ${hash} is damaged`)
    const content = this.#contents.get(hash)
    if (content) content.isHere = true
    this.#open = undefined
  }

  #count(name: string, more: number): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + more
  }
}
