import { recordSiteCommand } from '../features/trace/command.ts'
import { badRequest } from '../http/errors.ts'
import type { Overrides } from '../lib/quota.ts'
import { MINUTE } from '../lib/unix-time.ts'
import type { ObjectChange } from '../notify/change.ts'
import {
  giveUpReserved,
  holdReserved,
  type InstallationRef,
  reserveInstallation
} from '../registry/installations.ts'
import { organizationsBelow, topOrganization } from '../registry/organizations.ts'
import { inTransaction } from '../registry/transaction.ts'
import { BadSite } from './bad-site.ts'
import type { LeftBehind } from './left-behind.ts'
import { ContentLoader, ObjectLoader, SampleLoader } from './load.ts'
import type { Going, SiteParts } from './parts.ts'
import { type Kept, placeSite } from './place.ts'
import { readSite, type SiteCounts } from './reading.ts'
import { type RecordKind, recordKinds } from './records.ts'
import { References } from './references.ts'
import { overridesOf, type Survey, surveySite } from './survey.ts'

export type ImportAsked = {
  file: string
  organization?: number | undefined
  name?: string | undefined
  /** The own quotas of the installation come along. */
  quotas?: boolean | undefined
}

export type Imported = InstallationRef & {
  name: string
  counts: SiteCounts
  /** What refers to something outside of the file, and was left as it is. */
  outside: { count: number; names: string[] }
  left_behind: LeftBehind[]
}

/** The reserve lasts for this long, and is renewed long before that. */
const RESERVE_MS = 10 * MINUTE
const RENEW_EVERY_MS = MINUTE
/** [ADR-0025] */
const MAX_ENTRIES = { tenant: 100, platform: 1000 }

/**
 * Reads a site from a file. Nobody sees anything of it before all of it is stored. Until then it
 * counts as deleted, so whatever ends the import also removes what it has stored.
 */
export async function importSite(
  parts: SiteParts,
  asked: ImportAsked,
  going: Going
): Promise<Imported> {
  const { registry, clock, lineage, eraser } = parts
  const organizationId = await organizationOf(parts, asked.organization)
  const own = asked.quotas ? 'carried' : {}
  // Checking is much faster than storing.
  const survey = await surveySite(
    parts,
    { file: asked.file, organizationId, own },
    {
      ...going,
      onProgress: (done) => going.onProgress(done * CHECKED)
    }
  )
  await lineage.ahead()
  const now = clock()
  const ref = await reserveInstallation(registry, organizationId, { now, until: now + RESERVE_MS })
  const unspare = eraser.spare(ref.id)
  const run = new ImportRun(parts, { asked, survey, ref })
  try {
    await run.load({ ...going, onProgress: (done) => going.onProgress(CHECKED + done * LOADED) })
    going.signal.throwIfAborted()
    await run.place()
  } catch (error) {
    unspare()
    await giveUpReserved(registry, ref.id, clock())
    await run.release()
    await eraser.run()
    throw error
  }
  unspare()
  await run.release()
  const imported = await run.announce()
  going.onProgress(1)
  return imported
}

/** The share of the work. */
const CHECKED = 0.3
const LOADED = 0.69

async function organizationOf({ registry }: SiteParts, asked: number | undefined): Promise<number> {
  const top = await topOrganization(registry)
  if (asked === undefined) return top
  if ((await organizationsBelow(registry, [top])).includes(asked)) return asked
  throw badRequest(`there is no organization ${asked}`)
}

class ImportRun {
  readonly #parts: SiteParts
  readonly #asked: ImportAsked
  readonly #survey: Survey
  readonly #ref: InstallationRef
  readonly #kept = Object.fromEntries(recordKinds.map((kind) => [kind, []])) as unknown as Kept
  readonly #ids = {
    device: new Map<number, number>(),
    function: new Map<number, number>(),
    output: new Map<number, number>()
  }
  readonly #references: References
  readonly #objects: ObjectLoader
  readonly #samples: SampleLoader
  readonly #contents: ContentLoader
  #left: LeftBehind[] = []

  constructor(
    parts: SiteParts,
    { asked, survey, ref }: { asked: ImportAsked; survey: Survey; ref: InstallationRef }
  ) {
    this.#parts = parts
    this.#asked = asked
    this.#survey = survey
    this.#ref = ref
    const { client_id } = survey.head
    this.#references = new References({ from: client_id, to: ref.client_id }, this.#ids)
    this.#objects = new ObjectLoader(parts, ref, this.#ids, this.#references)
    this.#samples = new SampleLoader(parts, ref, client_id)
    this.#contents = new ContentLoader(parts)
  }

  /** Stores what nobody sees before `place`. */
  async load(going: Going): Promise<void> {
    const { clock } = this.#parts
    let renewed = clock()
    let sha256 = ''
    const reading = { ...going, now: clock(), onEnd: (sum: string) => (sha256 = sum) }
    for await (const part of readSite(this.#asked.file, reading)) {
      if (clock() - renewed >= RENEW_EVERY_MS) {
        await this.#renew()
        renewed = clock()
      }
      if (part.of === 'content') await this.#contents.add(part.bytes, part.isLast)
      else if (part.of === 'samples') await this.#samples.add(part.samples)
      else if (part.of === 'latest') {
        await this.#samples.finish()
        await this.#samples.addLatest(part.samples)
      } else if (part.kind === 'device' || part.kind === 'function') {
        await this.#objects.add(part.kind, part.record)
      } else if (part.kind === 'content') await this.#contents.begin(part.record)
      else this.#keep(part.kind, part.record)
    }
    await this.#objects.finish()
    await this.#samples.finish()
    if (sha256 !== this.#survey.sha256) throw new BadSite('it was changed meanwhile')
  }

  async place(): Promise<void> {
    const { registry, clock, timezone } = this.#parts
    await this.#renew()
    this.#left = await inTransaction(registry, (registry) =>
      placeSite(registry, {
        ...{ ref: this.#ref, name: this.#asked.name, kept: this.#kept },
        ...{ references: this.#references, outputIds: this.#ids.output },
        ...{ quotas: this.#quotas(), months: this.#samples.months, timezone, now: clock() },
        blacklistRoom: (topics) => this.#blacklistRoom(topics)
      })
    )
  }

  release(): Promise<void> {
    return this.#contents.release()
  }

  /** The installation is there. What fails now is no reason to take it back. */
  async announce(): Promise<Imported> {
    const { latest, directory, lineage, trace, clock, log } = this.#parts
    const { id } = this.#ref
    try {
      await lineage.note()
      await directory.catchUp()
      latest.forget(id)
      await recordSiteCommand(
        { trace, clock },
        { action: 'create', ref: this.#ref, text: 'imported' }
      )
      await this.#tell()
    } catch (err) {
      log.error({ err, installation_id: id }, 'an import is done, but not everybody was told')
    }
    return this.#result()
  }

  #result(): Imported {
    const { installation, counts } = this.#survey
    const { outside, outsideCount } = this.#references
    const kept = Object.keys(this.#quotas())
    const quotas = Object.keys(overridesOf(installation.quotas)).filter(
      (name) => !kept.includes(name)
    )
    const why = 'the platform decides about quotas: --with-quotas takes them over'
    return {
      ...{ ...this.#ref, name: this.#asked.name ?? installation.name, counts },
      outside: { count: outsideCount, names: outside },
      left_behind: [
        ...this.#left,
        ...(quotas.length > 0 ? [{ what: 'quotas', count: quotas.length, names: quotas, why }] : [])
      ]
    }
  }

  /** How long values stay is a property of the site. Quotas are not, unless the operator says so. */
  #quotas(): Overrides {
    const carried = overridesOf(this.#survey.installation.quotas)
    if (this.#asked.quotas) return carried
    return carried.history_days === undefined ? {} : { history_days: carried.history_days }
  }

  #keep(kind: RecordKind, record: unknown): void {
    // The kind and the record belong together, which the types cannot say.
    ;(this.#kept[kind] as unknown[]).push(record)
  }

  async #renew(): Promise<void> {
    const { registry, clock } = this.#parts
    const now = clock()
    if (await holdReserved(registry, this.#ref.id, { now, until: now + RESERVE_MS })) return
    throw new Error('the import took too long to go on, and was erased: start it again')
  }

  #blacklistRoom(topics: readonly string[]): number {
    const { directory, quotas } = this.#parts
    const tenant = quotas.tenantOf(this.#ref)
    const ofTenant = topics.filter((topic) => {
      const found = directory.installationByTopic(topic)
      return found && quotas.tenantOf(found) === tenant
    })
    return Math.min(MAX_ENTRIES.tenant - ofTenant.length, MAX_ENTRIES.platform - topics.length)
  }

  async #tell(): Promise<void> {
    const { client_id } = this.#ref
    const { counts } = this.#survey
    const kinds: [ObjectChange['kind'], string][] = [
      ['devicex', 'device'],
      ['functionx', 'function'],
      ['schedule', 'schedule'],
      ['edge_app', 'instance']
    ]
    await this.#parts.tell({ kind: 'installation', client_id })
    for (const [kind, name] of kinds) {
      if (counts[name]) await this.#parts.tell({ kind, client_id })
    }
  }
}
