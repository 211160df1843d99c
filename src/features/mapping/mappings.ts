import { zoneOffset } from '../../lib/calendar.ts'
import { compileMapping } from '../../lib/mapping/mapping.ts'
import { Turns } from '../../lib/turns.ts'
import type { Directory } from '../../permission/directory.ts'
import { findInstallation } from '../../registry/installations.ts'
import type { Registry } from '../../registry/tables.ts'
import type { ActiveMapping, MappingsOf } from './reading.ts'
import { hasMappings, readMappingsFor, recordOf } from './rows.ts'

type Parts = {
  registry: Registry
  directory: Directory
  /** Of installations that have none. */
  timezone: string
}

/** An installation without mappings needs a few bytes. */
const MAX_INSTALLATIONS = 200_000
/** Of the declarations that are compiled, in characters of JSON. */
const MAX_CHARACTERS = 16 * 1024 * 1024

/**
 * The mappings of the installations that send messages, ready for use. The registry's list of
 * changes, which all nodes read, keeps them current.
 */
export class Mappings {
  readonly #parts: Parts
  /** Null: the installation has none. */
  readonly #found = new Map<number, MappingsOf | null>()
  readonly #reading = new Map<number, Promise<MappingsOf | null>>()
  /** By id. Installations of an organization share them. */
  readonly #compiled = new Map<number, ActiveMapping>()
  #characters = 0
  #changes = 0
  #isUsed = false
  readonly #listeners: (() => void)[] = []

  static async open(parts: Parts): Promise<Mappings> {
    const mappings = new Mappings(parts)
    const { directory } = parts
    mappings.#isUsed = await hasMappings(parts.registry)
    // The first use of time zones takes long, and must not hold up messages later.
    zoneOffset(parts.timezone, Date.now())
    directory.onMappingChange((installations) => mappings.#changed(installations))
    // An installation or an organization may be below other ones now.
    directory.onQuotaChange(() => mappings.#changed('all'))
    directory.onMoved(({ id }) => mappings.#forget([id]))
    directory.onRemoved((id) => mappings.#forget([id]))
    return mappings
  }

  private constructor(parts: Parts) {
    this.#parts = parts
  }

  /** False: no installation has a mapping, so no message needs a look. */
  get isUsed(): boolean {
    return this.#isUsed
  }

  /** Called after mappings changed. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Null: the installation has none. Undefined: they must be read first. */
  known(installationId: number): MappingsOf | null | undefined {
    return this.#found.get(installationId)
  }

  /** Null: the installation has none. */
  read(installationId: number): Promise<MappingsOf | null> {
    const reading =
      this.#reading.get(installationId) ??
      this.#readOn(installationId).finally(() => this.#reading.delete(installationId))
    this.#reading.set(installationId, reading)
    return reading
  }

  async zoneOf(installationId: number): Promise<string> {
    const installation = await findInstallation(this.#parts.registry, installationId)
    return installation?.timezone || this.#parts.timezone
  }

  async #readOn(installationId: number): Promise<MappingsOf | null> {
    let [found, changes]: [MappingsOf | null, number] = [null, -1]
    while (changes !== this.#changes) {
      changes = this.#changes
      found = await this.#compile(installationId)
    }
    if (this.#found.size >= MAX_INSTALLATIONS || this.#characters > MAX_CHARACTERS)
      this.#forgetAll()
    this.#found.set(installationId, found)
    return found
  }

  async #compile(installationId: number): Promise<MappingsOf | null> {
    const { registry, timezone } = this.#parts
    const read = await readMappingsFor(registry, installationId)
    if (!read || read.mappings.length === 0) return null
    const turns = new Turns()
    const active: ActiveMapping[] = []
    for (const row of read.mappings) {
      if (turns.isLate()) await turns.next()
      const known = this.#compiled.get(row.id)
      if (known) {
        active.push(known)
        continue
      }
      const { id, name, create_missing, ...rule } = recordOf(row)
      const mapping = compileMapping(rule)
      // A newer version may know more makes.
      if ('what' in mapping) continue
      const one = { id, name, create_missing, mapping }
      this.#compiled.set(id, one)
      this.#characters += row.rules.length
      active.push(one)
    }
    const hasMake = read.mappings.some(({ make }) => make !== '')
    return { zone: read.timezone || timezone, active, hasMake }
  }

  async #changed(installations: readonly number[] | 'all'): Promise<void> {
    this.#isUsed = await hasMappings(this.#parts.registry)
    if (installations === 'all') this.#forgetAll()
    else this.#forget(installations)
    for (const listener of this.#listeners) listener()
  }

  #forget(installations: readonly number[]): void {
    this.#changes++
    for (const id of installations) this.#found.delete(id)
    this.#compiled.clear()
    this.#characters = 0
  }

  #forgetAll(): void {
    this.#forget([])
    this.#found.clear()
  }
}
