import type { BrokenFile, Contents, Damage, HistoryFiles, Quarantined } from '../files.ts'
import type { BrokenPacks } from './broken-packs.ts'
import type { Maintenance } from './maintenance.ts'
import type { WorkerLane } from './worker-lane.ts'
import type { SqliteWriter } from './writer.ts'

type Parts = {
  writer: WorkerLane<SqliteWriter>
  maintenance: Maintenance
  broken: BrokenPacks
}

export class SqliteHistoryFiles implements HistoryFiles {
  readonly #parts: Parts
  #quarantined: readonly Quarantined[] = []

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get broken(): readonly BrokenFile[] {
    return this.#parts.broken.list
  }

  get quarantined(): readonly Quarantined[] {
    return this.#quarantined
  }

  async names(): Promise<string[]> {
    const packs = await this.#parts.writer.call('packs', [])
    return packs.toSorted((a, b) => a.first - b.first).map(({ name }) => name)
  }

  async inspect(name: string): Promise<Damage | undefined> {
    const { maintenance, broken } = this.#parts
    const damage = await maintenance.inspect(name)
    if (damage && !broken.has(name)) {
      const { lost: _lost, topicCount: _count, topics: _topics, ...file } = damage
      broken.add(file)
    }
    // It was put back from a backup.
    if (!damage) broken.forget([name])
    return damage
  }

  async quarantine(name: string): Promise<Damage | undefined> {
    const damage = await this.#parts.maintenance.quarantine(name)
    await this.readQuarantined()
    return damage
  }

  contents(): Promise<Contents> {
    return this.#parts.writer.call('contents', [])
  }

  /** To be called when the record may have changed. */
  async readQuarantined(): Promise<void> {
    this.#quarantined = await this.#parts.writer.call('quarantined', [])
  }
}
