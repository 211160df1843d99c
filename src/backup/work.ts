import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyQueue, QUEUE_FILE } from '../bus/embedded/store/copy.ts'
import { contentsIn } from '../features/file/copy.ts'
import { copySpool, raiseLastId, SPOOL_FILE } from '../history/spool/copy.ts'
import { copyHistory, HISTORY_DIRECTORY } from '../history/sqlite/copy.ts'
import { fileIn, packsIn } from '../history/sqlite/file.ts'
import { shortId } from '../lib/lineage.ts'
import type { SqliteCopy } from '../lib/sqlite-file.ts'
import { syncPathNow } from '../lib/sync-path.ts'
import { type DataDirLock, lockFile } from '../platform/data-dir.ts'
import { copyRegistry, REGISTRY_FILE } from '../registry/sqlite/copy.ts'
import { Collection } from './collection.ts'
import { databaseOf, idsOfLineages, missingContents, readFacts } from './facts.ts'
import { FORMAT, MANIFEST, type Manifest, manifestText, type PartName } from './manifest.ts'
import { backupNameAt, isBackupName, isUnfinishedName, partialName, removingName } from './names.ts'
import { BackupFault, preparePlace, requireSpace } from './place.ts'
import { Previous } from './previous.ts'
import { countedOf, type Servers } from './servers.ts'

export type Plan = {
  dataDir: string
  filesDir: string
  /** The folder of backups. */
  directory: string
  parts: readonly PartName[]
  elsewhere: Manifest['elsewhere']
  /** Bytes that stay free on the disk of the data. */
  reserve: number
  /** Older complete backups beyond this number are removed; undefined: none. */
  keep: number | undefined
  version: string
  started: number
}
export type Made = {
  name: string
  /** As the manifest says. */
  started: string
  ended: string
  /** The whole size, and what this backup added to the disk. */
  bytes: number
  new_bytes: number
  files: number
  samples: number
  missing: readonly string[]
  removed: readonly string[]
}

/** More are missing too, but not named. `verify` finds them all. */
const MAX_MISSING = 1000

/** Where the parts are copied to while they must not change. It is on the disk of the data. */
export const stagingOf = (dataDir: string): string => join(dataDir, 'backup.staging')

/** One backup, in a thread of its own. The steps are called one after another. */
export class BackupWork {
  readonly #plan: Plan
  readonly #staging: string
  #lock: DataDirLock | undefined
  #directory = ''
  #name = ''
  #previous = new Previous(undefined)
  #missing: string[] = []
  #collection: Collection | undefined

  constructor(plan: Plan) {
    this.#plan = plan
    this.#staging = stagingOf(plan.dataDir)
  }

  /** Refuses what cannot work, before anything is written. Answers the name of the backup. */
  begin(): string {
    const { dataDir, filesDir, directory, started } = this.#plan
    const occupied = { CARACAL_DATA_DIR: dataDir, CARACAL_FILES_DIR: filesDir }
    this.#directory = preparePlace(directory, occupied)
    this.#lock = lockPlace(this.#directory)
    const entries = readdirSync(this.#directory)
    for (const entry of entries.filter(isUnfinishedName)) this.#remove(entry)
    rmSync(this.#staging, { recursive: true, force: true })
    const names = entries.filter(isBackupName).sort()
    this.#previous = Previous.newestOf(this.#directory, names)
    this.#requireSpace()
    // Two backups within a second get different names.
    let at = started
    while (names.includes(backupNameAt(at))) at += 1000
    this.#name = backupNameAt(at)
    mkdirSync(this.#staging, { mode: 0o700 })
    mkdirSync(this.#partial, { mode: 0o700 })
    return this.#name
  }

  copySpool(): SqliteCopy {
    return copySpool(this.#plan.dataDir, this.#staging)
  }

  copyHistory(): SqliteCopy {
    const { missing, ...copy } = copyHistory(this.#plan.dataDir, this.#staging)
    this.#missing.push(...missing.map((name) => `history/sqlite/packs/${name}`))
    return copy
  }

  copyQueue(): SqliteCopy {
    return copyQueue(this.#plan.dataDir, this.#staging)
  }

  copyRegistry(): SqliteCopy {
    return copyRegistry(this.#plan.dataDir, this.#staging)
  }

  raiseLastId(): void {
    raiseLastId(this.#plan.dataDir, this.#staging)
  }

  /** Answers the number of bytes that `collect` will go through. */
  prepare(): number {
    const { filesDir, parts } = this.#plan
    this.#collection = new Collection({
      ...{ parts, filesDir, staging: this.#staging, target: this.#partial },
      previous: this.#previous
    })
    return this.#collection.totalBytes
  }

  /** Works for a moment. Answers how many bytes it went through; undefined when all is done. */
  collect(): number | undefined {
    return this.#collection?.step()
  }

  /** The backup is complete and on disk when this returns. */
  async finish(servers: Servers): Promise<Made> {
    const collection = this.#collection
    if (!collection) throw new Error('prepare comes first')
    const { parts, elsewhere, version, started, keep } = this.#plan
    const { lineages, ...facts } = await readFacts(this.#partial, parts, collection.packs)
    const platform =
      servers.registry?.platform ?? lineages.registry?.platform ?? lineages.spool.platform
    const manifest: Manifest = {
      ...{ format: FORMAT, version, platform: shortId(platform ?? '') },
      started: new Date(started).toISOString(),
      ended: new Date().toISOString(),
      parts: [...parts],
      elsewhere: [...elsewhere],
      ids: servers.registry?.reached ?? idsOfLineages(lineages),
      ...facts,
      files: collection.finish(),
      servers: countedOf(servers),
      missing: this.#findMissing()
    }
    writeFileSync(join(this.#partial, MANIFEST), manifestText(manifest), {
      ...{ mode: 0o600, flag: 'wx', flush: true }
    })
    for (const directory of collection.directories()) syncPathNow(directory)
    renameSync(this.#partial, join(this.#directory, this.#name))
    syncPathNow(this.#directory)
    const removed = this.#keepOnly(keep)
    const months = Object.values(manifest.samples.months)
    return {
      name: this.#name,
      started: manifest.started,
      ended: manifest.ended,
      bytes: manifest.files.bytes,
      new_bytes: collection.newBytes,
      files: manifest.files.count,
      samples: months.reduce((sum, count) => sum + count, manifest.samples.spool),
      missing: manifest.missing,
      removed
    }
  }

  /** Removes what is left of a backup, and lets others use the folder. */
  close(): void {
    this.#collection?.close()
    rmSync(this.#staging, { recursive: true, force: true })
    if (this.#name !== '') rmSync(this.#partial, { recursive: true, force: true })
    this.#lock?.release()
    this.#lock = undefined
  }

  get #partial(): string {
    return join(this.#directory, partialName(this.#name))
  }

  #findMissing(): string[] {
    const registry = join(this.#partial, databaseOf.registry)
    const contents = this.#plan.parts.includes('registry')
      ? Array.from(missingContents(registry, join(this.#partial, 'files')), ({ path }) => path)
      : []
    return [...this.#missing, ...contents].slice(0, MAX_MISSING)
  }

  #keepOnly(keep: number | undefined): string[] {
    if (keep === undefined) return []
    const names = readdirSync(this.#directory).filter(isBackupName).sort()
    const old = names
      .filter((name) => name !== this.#name)
      .slice(0, Math.max(0, names.length - keep))
    for (const name of old) this.#remove(name)
    return old
  }

  /** It loses its name first, so that half of a backup never looks like a whole one. */
  #remove(name: string): void {
    let path = join(this.#directory, name)
    if (isBackupName(name)) {
      const gone = join(this.#directory, removingName(name))
      renameSync(path, gone)
      syncPathNow(this.#directory)
      path = gone
    }
    rmSync(path, { recursive: true, force: true })
  }

  #requireSpace(): void {
    const { dataDir, filesDir, parts, reserve } = this.#plan
    const files = sqliteFilesOf(parts).map((name) => join(dataDir, name))
    const copied = files.reduce((sum, file) => sum + sizeOf(file) + sizeOf(`${file}-wal`), 0)
    requireSpace(dataDir, copied, reserve)
    const device = (path: string) => statSync(path).dev
    const place = device(this.#directory)
    const isSame = place === device(dataDir)
    let needed = isSame ? 0 : copied
    if (!isSame && parts.includes('history')) {
      const packs = packsIn(join(dataDir, HISTORY_DIRECTORY))
      for (const name of readdirSync(packs))
        if (!this.#previous.packs.has(`history/sqlite/packs/${name}`))
          needed += sizeOf(join(packs, name))
    }
    if (place !== device(filesDir))
      for (const { hash, bytes } of contentsIn(filesDir))
        if (!this.#previous.hasContent(hash, bytes)) needed += bytes
    if (!isSame) requireSpace(this.#directory, needed, 0)
  }
}

/** The databases of these parts, as paths in a data directory. */
export const sqliteFilesOf = (parts: readonly PartName[]): string[] => [
  ...(parts.includes('history') ? [fileIn(HISTORY_DIRECTORY)] : []),
  ...(parts.includes('queue') ? [QUEUE_FILE] : []),
  ...(parts.includes('registry') ? [REGISTRY_FILE] : []),
  SPOOL_FILE
]

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

function lockPlace(directory: string): DataDirLock {
  try {
    return lockFile(join(directory, '.lock'))
  } catch (error) {
    const { message } = error as Error
    if (!message.includes('locked')) throw error
    throw new BackupFault(`another backup into ${directory} is being made`)
  }
}
