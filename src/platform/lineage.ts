import type { FastifyBaseLogger } from 'fastify'
import type { Store } from '../bus/embedded/store/store.ts'
import type { FileStore } from '../features/file/store.ts'
import type { History } from '../history/history.ts'
import type { Spool } from '../history/spool/spool.ts'
import {
  highest,
  type Ids,
  idKinds,
  isBeyond,
  type Lineage,
  mismatch,
  type Named,
  noIds,
  type RegistryLineage,
  unknownLineage
} from '../lib/lineage.ts'
import { SECOND } from '../lib/unix-time.ts'
import { endsWithin } from '../lib/within.ts'
import { askForIds, confirmIds, IDS_PER_STEP, reachedIds } from '../registry/id-reserves.ts'
import { readRegistryLineage } from '../registry/platform.ts'
import type { Registry } from '../registry/tables.ts'

export type LineageParts = {
  registry: Registry
  history: History
  spool: Spool
  /** Of the embedded broker; undefined with an external broker. */
  store: Store | undefined
  files: FileStore
  /** The names of the parts in messages. */
  names: Readonly<Record<'registry' | 'history' | 'spool' | 'queue' | 'files', string>>
}

export type FoundLineages = { registry: Named<RegistryLineage>; parts: Named<Lineage>[] }

export const WAYS_OUT =
  'restore the whole backup, or keep what is here with "npm run caracal -- adopt"'

/** The lineage of every part; history comes first. */
export async function readLineages(of: LineageParts): Promise<FoundLineages> {
  const { names, store } = of
  const registry = { name: names.registry, ...(await readRegistryLineage(of.registry)) }
  const parts: Named<Lineage>[] = [
    { name: names.history, ...(await of.history.lineage()) },
    { name: names.spool, ...(await of.spool.lineage()) },
    { ...unknownLineage, name: names.files, platform: await of.files.platform() }
  ]
  if (store) {
    const platform = await store.read('platform', {})
    parts.push({ ...unknownLineage, name: names.queue, platform })
  }
  return { registry, parts }
}

/** Why these parts cannot be used together; undefined when they belong together. */
export function faultIn({ registry, parts }: FoundLineages): string | undefined {
  for (const part of parts) {
    const fault = mismatch(registry, part)
    if (fault) return fault
  }
  const [history] = parts
  return registry.hasHistory && history?.platform === undefined
    ? `${registry.name} has had a history, but ${history?.name} knows nothing of it`
    : undefined
}

/**
 * Stores in every part that it belongs to the registry's platform. For history use `keepLineage`.
 */
export async function claimParts({ spool, store, files }: LineageParts, platform: string) {
  await spool.keepLineage({ platform, reached: noIds })
  await store?.write({ kind: 'platform', id: platform })
  await files.belongTo(platform)
}

/** How often history gets the ids that are in use. */
const TELL_EVERY_MS = SECOND
/** A request waits for new ids this long. Then it tries with the remaining ids. */
const WAIT_FOR_IDS_MS = 5 * SECOND

/**
 * Makes sure that parts which are restored separately can see whether they belong together. No id
 * is given out before history has reserved it. No answer names a new id before the spool has stored
 * it [ADR-0030].
 */
export class LineageKeeper {
  readonly #of: LineageParts
  readonly #platform: string
  readonly #log: FastifyBaseLogger
  #reserved: Ids = noIds
  /** The highest ids that the spool has stored, and those that history has stored. */
  #noted: Ids = noIds
  #told: Ids = noIds
  #reserving: Promise<void> | undefined
  #failure: Error | undefined
  #timer: NodeJS.Timeout | undefined

  private constructor(of: LineageParts, platform: string, log: FastifyBaseLogger) {
    this.#of = of
    this.#platform = platform
    this.#log = log
  }

  /** When the parts do not belong together, throws one line that names both sides. */
  static async open(of: LineageParts, log: FastifyBaseLogger): Promise<LineageKeeper> {
    const found = await readLineages(of)
    const fault = faultIn(found)
    if (fault) throw new Error(`${fault}; ${WAYS_OUT}`)
    const { platform } = found.registry
    const keeper = new LineageKeeper(of, platform, log)
    if (found.parts.some((part) => part.platform === undefined)) await claimParts(of, platform)
    await keeper.#note()
    await keeper.#reserve()
    return keeper
  }

  start(): void {
    this.#timer = setInterval(() => void this.#round(), TELL_EVERY_MS)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#round()
  }

  /**
   * Await it before a row is created. If few ids are left and history answers, it reserves more.
   */
  async ahead(): Promise<void> {
    if (!this.#isShort()) return
    const reserved = this.#reserve().catch(() => {})
    if (this.#failure === undefined) await endsWithin(WAIT_FOR_IDS_MS, reserved)
  }

  /** Await it before an answer that may contain a new id. */
  async note(): Promise<void> {
    await this.#note().catch((err) => this.#log.error({ err }, 'the spool could not store new ids'))
  }

  async #note(): Promise<void> {
    const reached = await reachedIds(this.#of.registry)
    if (!isBeyond(reached, this.#noted)) return
    await this.#of.spool.keepLineage({ platform: this.#platform, reached })
    this.#noted = highest(this.#noted, reached)
  }

  async #round(): Promise<void> {
    await this.note()
    try {
      if (this.#isShort()) await this.#reserve()
      else if (isBeyond(this.#noted, this.#told)) await this.#tell()
    } catch (err) {
      this.#log.warn(
        { err },
        'history could not store which ids are in use; it will be tried again'
      )
    }
  }

  #isShort(): boolean {
    return idKinds.some((kind) => this.#reserved[kind] - this.#noted[kind] < IDS_PER_STEP)
  }

  #reserve(): Promise<void> {
    this.#reserving ??= this.#reserveMore().finally(() => {
      this.#reserving = undefined
    })
    return this.#reserving
  }

  async #reserveMore(): Promise<void> {
    try {
      const asked = await askForIds(this.#of.registry)
      await this.#tell(asked)
      await confirmIds(this.#of.registry, asked)
      this.#reserved = asked
      this.#failure = undefined
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error))
      throw error
    }
  }

  async #tell(reserved = this.#reserved): Promise<void> {
    const reached = this.#noted
    await this.#of.history.keepLineage({ platform: this.#platform, reached, reserved })
    this.#told = reached
  }
}
