import type { DerivedValue } from '../../lib/mapping/rule.ts'
import type { InstallationRef } from '../../registry/installations.ts'
import { insertModelxWithin, listModelx } from '../../registry/modelx.ts'
import { functionsChange } from '../../registry/rules.ts'
import type { Registry } from '../../registry/tables.ts'

type Parts = {
  registry: Registry
  clock: () => number
  /** Called when functions of the installation were made. */
  tell(installation: InstallationRef): Promise<void>
  lineage: { ahead(): Promise<void>; note(): Promise<void> }
}

/** Of all installations. A topic that is not in memory is looked up again. */
const MAX_KNOWN_TOPICS = 200_000
/** Others may write to the registry in between. */
const FUNCTIONS_PER_TRANSACTION = 50
const typesByUnit: ReadonlyMap<string, string> = new Map([
  ['°C', 'temperature'],
  ['°F', 'temperature'],
  ['W', 'power'],
  ['kWh', 'energy'],
  ['Wh', 'energy'],
  ['V', 'voltage'],
  ['A', 'current'],
  ['lx', 'illuminance'],
  ['hPa', 'pressure']
])

/** Makes the functions of topics that a mapping has filled for the first time. */
export class MappedFunctions {
  readonly #parts: Parts
  readonly #known = new Map<number, Set<string>>()
  #size = 0
  /** One after another, so that each installation is looked through once for many topics. */
  readonly #making = new Map<number, Promise<void>>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Those of these values whose function is not known to be there. */
  missing(installationId: number, values: readonly DerivedValue[]): readonly DerivedValue[] {
    if (values.length === 0) return values
    const known = this.#known.get(installationId)
    return known ? values.filter(({ topic }) => !known.has(topic)) : values
  }

  forget(installationId: number): void {
    this.#size -= this.#known.get(installationId)?.size ?? 0
    this.#known.delete(installationId)
  }

  /** Resolves when each of the values has its function. */
  make(installation: InstallationRef, values: readonly DerivedValue[]): Promise<void> {
    const { id } = installation
    const before = this.#making.get(id) ?? Promise.resolve()
    const made = before.catch(() => {}).then(() => this.#make(installation, values))
    this.#making.set(id, made)
    const done = () => {
      if (this.#making.get(id) === made) this.#making.delete(id)
    }
    made.then(done, done)
    return made
  }

  async #make(installation: InstallationRef, values: readonly DerivedValue[]): Promise<void> {
    const { registry, lineage, tell } = this.#parts
    const wanted = new Map(this.missing(installation.id, values).map((one) => [one.topic, one]))
    if (wanted.size === 0) return
    const done = await registry
      .selectFrom('mapped_functions')
      .select('topic')
      .where('installation_id', '=', installation.id)
      .where('topic', 'in', [...wanted.keys()])
      .execute()
    for (const { topic } of done) {
      wanted.delete(topic)
      this.#remember(installation.id, topic)
    }
    if (wanted.size === 0) return
    const shown = await this.#shown(installation, wanted)
    await lineage.ahead()
    let made = 0
    // In one order on all nodes, so that two of them cannot block each other.
    const left = [...wanted.values()].sort((a, b) => (a.topic < b.topic ? -1 : 1))
    while (left.length > 0) {
      const some = left.splice(0, FUNCTIONS_PER_TRANSACTION)
      made += await this.#makeSome(installation.id, some, shown)
      for (const { topic } of some) this.#remember(installation.id, topic)
    }
    if (made === 0) return
    await lineage.note()
    await tell(installation)
  }

  /** The topics that functions of the installation show already. */
  async #shown(
    { id: installation_id, client_id }: InstallationRef,
    wanted: ReadonlyMap<string, unknown>
  ): Promise<Set<string>> {
    const shown = new Set<string>()
    const prefix = `${client_id}/`
    const { registry } = this.#parts
    for await (const part of listModelx(registry, { kind: 'function', installation_id })) {
      for (const { meta } of part) {
        if (!meta.includes('topic_read')) continue
        for (const [key, value] of Object.entries<string>(JSON.parse(meta))) {
          if (!key.startsWith('topic_read')) continue
          const topic = value.startsWith(prefix) ? value.slice(prefix.length) : value
          if (wanted.has(topic)) shown.add(topic)
        }
      }
    }
    return shown
  }

  /** Answers how many it made. A row says that a topic is done, on all nodes. */
  #makeSome(
    installation_id: number,
    values: readonly DerivedValue[],
    shown: ReadonlySet<string>
  ): Promise<number> {
    const { registry, clock } = this.#parts
    return registry.transaction().execute(async (registry) => {
      await functionsChange(registry, installation_id, clock())
      const rows = values.map(({ topic }) => ({ installation_id, topic }))
      const mine = await registry
        .insertInto('mapped_functions')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .returning('topic')
        .execute()
      const topics = new Set(mine.map(({ topic }) => topic))
      let made = 0
      for (const value of values) {
        if (!topics.has(value.topic) || shown.has(value.topic)) continue
        const fields = { type: typeOf(value), meta: JSON.stringify(metaOf(value)) }
        const object = await insertModelxWithin(
          registry,
          { kind: 'function', installation_id },
          { ...fields, protected_meta: '{}' },
          clock()
        )
        if (object) made++
      }
      return made
    })
  }

  #remember(installationId: number, topic: string): void {
    if (this.#size >= MAX_KNOWN_TOPICS) {
      this.#known.clear()
      this.#size = 0
    }
    const known = this.#known.get(installationId) ?? new Set()
    this.#known.set(installationId, known)
    if (!known.has(topic)) this.#size++
    known.add(topic)
  }
}

const typeOf = ({ unit, isWritable }: DerivedValue): string =>
  typesByUnit.get(unit) ?? (isWritable && unit === '' ? 'switch' : 'sensor')

const metaOf = ({ topic, unit, name, isWritable }: DerivedValue): Record<string, string> => ({
  name: (name || topic.slice('obj/'.length).replaceAll('/', ' ')).slice(0, 255),
  ...(unit !== '' && { unit }),
  topic_read: topic,
  ...(isWritable && { topic_write: `set/${topic}` })
})
