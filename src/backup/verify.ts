import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { contentsIn, PLATFORM_FILE } from '../features/file/copy.ts'
import { installationsOfTopics } from '../history/sqlite/copy.ts'
import { type Lineage, mismatch, type Named, unknownLineage } from '../lib/lineage.ts'
import { faultsOfSqlite } from '../lib/sqlite-file.ts'
import { contentsNamedIn, installationsIn } from '../registry/sqlite/copy.ts'
import { checkHistory } from './check-history.ts'
import { checkListed, type Listed } from './check-listed.ts'
import { hashFile } from './copy-file.ts'
import { databaseOf, type Facts, missingContents, readFacts } from './facts.ts'
import { type Finding, Findings } from './findings.ts'
import {
  isPack,
  MANIFEST,
  type Manifest,
  type PartName,
  pathOfContent,
  readManifest
} from './manifest.ts'
import { compareServers, type Servers } from './servers.ts'

export type Verified = {
  directory: string
  kind: 'backup' | 'data directory'
  started: string | null
  files: number
  samples: number
  /** The number of findings, of which the first thousand are listed. */
  faults: number
  findings: Finding[]
  /** What an operator may want to know, but what is no damage. */
  notes: string[]
}

export type VerifyOptions = {
  /** Gets the finished part, 0 to 1. */
  onProgress: (done: number) => void
  /** What is on the servers of the settings. */
  servers: Servers
}

const lostWithDatabase: Readonly<Record<keyof typeof databaseOf, string>> = {
  spool: 'acknowledged values that were not in history yet',
  history: 'values that are not packed yet, the latest values, and the list of packed files',
  queue: 'MQTT sessions, queued and retained messages',
  registry: 'users, installations and everything about them'
}

/** Reads all of a backup. */
export async function verifyBackup(directory: string, options: VerifyOptions): Promise<Verified> {
  const findings = new Findings()
  const notes: string[] = []
  let manifest: Manifest | undefined
  try {
    manifest = readManifest(directory)
  } catch (error) {
    findings.add(MANIFEST, (error as Error).message, 'nobody can say what belongs to this backup')
  }
  if (!manifest) return verifiedOf(directory, 'backup', findings, notes, undefined)
  // Every file is read twice: as bytes, and as what is in it.
  const total = Math.max(1, 2 * manifest.files.bytes)
  const onBytes = progressOf(total, options.onProgress)
  const listed = await checkListed(directory, manifest, findings, onBytes)
  for (const path of manifest.missing) notes.push(`${path} was missing when the backup was made`)
  for (const { part, place } of manifest.elsewhere) {
    const isCompared = (part === 'registry' || part === 'history') && options.servers[part]
    if (!isCompared)
      notes.push(`the ${part} is not in this backup but in ${place}, and was not checked`)
  }
  const facts = await checkParts(directory, manifest.parts, {
    ...options,
    listed,
    findings,
    onBytes
  })
  if (facts) compareCounts(manifest, facts, findings)
  notes.push(...compareServers(manifest, options.servers, findings))
  options.onProgress(1)
  return verifiedOf(directory, 'backup', findings, notes, manifest)
}

/** Reads all of a data directory that nobody uses. */
export async function verifyDataDirectory(
  directory: string,
  { parts, filesDir, ...options }: VerifyOptions & { parts: readonly PartName[]; filesDir: string }
): Promise<Verified> {
  const findings = new Findings()
  const notes: string[] = []
  let [total, count] = [1, 0]
  for (const { bytes } of contentsIn(filesDir)) {
    total += bytes
    count++
  }
  const onBytes = progressOf(total, options.onProgress)
  const listed: Listed = { packs: new Map(), brokenContents: new Set() }
  for (const { hash, path, bytes } of contentsIn(filesDir)) {
    if (hashFile(path).sha256 !== hash) {
      listed.brokenContents.add(hash)
      findings.add(pathOfContent(hash), 'its checksum is wrong')
    }
    onBytes(bytes)
    await nextTurn()
  }
  const facts = await checkParts(directory, parts, {
    ...options,
    listed,
    filesDir,
    findings,
    onBytes
  })
  options.onProgress(1)
  const samples = facts ? samplesOf(facts) : 0
  const verified = verifiedOf(directory, 'data directory', findings, notes, undefined)
  return { ...verified, files: count, samples }
}

type Checking = VerifyOptions & {
  listed: Listed
  filesDir?: string
  findings: Findings
  onBytes: (bytes: number) => void
}

/** Answers what was counted, if every database can be read. */
async function checkParts(
  directory: string,
  parts: readonly PartName[],
  { listed, filesDir = join(directory, 'files'), findings, onBytes, servers }: Checking
): Promise<Facts | undefined> {
  const databases = parts.filter((part) => part !== 'files')
  const broken = new Set<PartName>()
  for (const part of databases) {
    const path = databaseOf[part]
    const file = join(directory, path)
    if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) {
      broken.add(part)
      findings.add(path, 'it is missing', lostWithDatabase[part])
      continue
    }
    const [fault] = faultsOfSqlite(file)
    if (fault !== undefined) {
      broken.add(part)
      findings.add(path, `it is damaged (${fault})`, lostWithDatabase[part])
    } else if (findings.has(path))
      findings.add(path, '', `perhaps some of: ${lostWithDatabase[part]}`)
    onBytes(statSync(file).size)
    await nextTurn()
  }
  const isWhole = (part: PartName) => parts.includes(part) && !broken.has(part)
  // A database that is whole may still be of another program.
  const attempt = async <T>(file: string, work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      findings.add(file, `it is not a database of Caracal (${(error as Error).message})`)
      return undefined
    }
  }
  const packs = parts.includes('history')
    ? await attempt(databaseOf.history, () => {
        const known = { isListed: isWhole('history'), listed: listed.packs }
        return checkHistory(directory, known, findings, onBytes)
      })
    : new Map()
  if (isWhole('registry')) {
    const hasHistory = isWhole('history') && packs !== undefined
    const checking = { filesDir, listed, findings, hasHistory }
    await attempt(databaseOf.registry, () => checkReferences(directory, checking))
  }
  if (broken.size > 0 || !packs) return undefined
  return attempt(directory, async () => {
    const facts = await readFacts(directory, parts, packs)
    checkLineages(facts, { filesDir, servers, findings })
    return facts
  })
}

function checkReferences(
  directory: string,
  {
    filesDir,
    listed,
    findings,
    hasHistory
  }: Pick<Checking, 'listed' | 'findings'> & { filesDir: string; hasHistory: boolean }
): void {
  const registry = join(directory, databaseOf.registry)
  for (const { path, name } of missingContents(registry, filesDir))
    findings.add(path, 'it is missing, but the registry refers to it', `the file ${name}`)
  if (listed.brokenContents.size > 0)
    for (const { hash, name } of contentsNamedIn(registry))
      if (listed.brokenContents.has(hash)) findings.add(pathOfContent(hash), '', `the file ${name}`)
  if (!hasHistory) return
  const installations = installationsIn(registry)
  const unknown = new Set<number>()
  for (const installation_id of installationsOfTopics(join(directory, databaseOf.history)).values())
    if (!installations.has(installation_id)) unknown.add(installation_id)
  if (unknown.size > 0) {
    const some = [...unknown].slice(0, 20).join(', ')
    findings.add(
      databaseOf.registry,
      `history has values of installations that the registry does not know: ${some}`
    )
  }
}

function checkLineages(
  { lineages }: Facts,
  { filesDir, servers, findings }: { filesDir: string; servers: Servers; findings: Findings }
): void {
  const registry = lineages.registry
    ? { name: 'the registry', ...lineages.registry }
    : servers.registry && { name: 'the registry CARACAL_REGISTRY_URL', ...servers.registry }
  if (!registry) return
  const platformFile = join(filesDir, PLATFORM_FILE)
  const platform = existsSync(platformFile) ? readFileSync(platformFile, 'utf8').trim() : undefined
  const history = lineages.history
    ? { name: 'the history', ...lineages.history }
    : servers.history && { name: 'the history CARACAL_HISTORY_URL', ...servers.history }
  const parts: [file: string, part: Named<Lineage>][] = [
    [databaseOf.spool, { name: 'the spool', ...lineages.spool }],
    [databaseOf.queue, { ...unknownLineage, name: 'the queue', platform: lineages.queue }],
    [`files/${PLATFORM_FILE}`, { ...unknownLineage, name: 'the files', platform }],
    ...(history ? [[databaseOf.history, history] as [string, Named<Lineage>]] : [])
  ]
  for (const [file, part] of parts) {
    const fault = mismatch(registry, part)
    if (fault) findings.add(file, fault, 'the platform does not start with these parts')
  }
}

function compareCounts(manifest: Manifest, facts: Facts, findings: Findings): void {
  const compare = (what: string, wanted: unknown, found: unknown) => {
    if (JSON.stringify(wanted) !== JSON.stringify(found))
      findings.add(MANIFEST, `${what}: it says ${short(wanted)}, but there is ${short(found)}`)
  }
  // Values in files that cannot be read are missing in the sums anyway.
  const isWhole = !findings.list.some(({ file }) => isPack(file)) && manifest.missing.length === 0
  if (isWhole) compare('values', manifest.samples, facts.samples)
  compare('rows of the registry', manifest.rows.registry, facts.rows.registry)
  compare('rows of the queue', manifest.rows.queue, facts.rows.queue)
}

const short = (counts: unknown): string =>
  `${JSON.stringify(counts).slice(0, 200)} (${createHash('sha256').update(JSON.stringify(counts)).digest('hex').slice(0, 8)})`

function progressOf(total: number, onProgress: (done: number) => void) {
  let done = 0
  return (bytes: number) => {
    done += bytes
    onProgress(Math.min(0.99, done / total))
  }
}

const samplesOf = ({ samples }: Pick<Manifest, 'samples'>): number =>
  Object.values(samples.months).reduce((sum, count) => sum + count, samples.spool)

function verifiedOf(
  directory: string,
  kind: Verified['kind'],
  findings: Findings,
  notes: string[],
  manifest: Manifest | undefined
): Verified {
  return {
    ...{ directory, kind, notes },
    started: manifest?.started ?? null,
    files: manifest?.files.count ?? 0,
    samples: manifest ? samplesOf(manifest) : 0,
    faults: findings.count,
    findings: findings.list
  }
}
