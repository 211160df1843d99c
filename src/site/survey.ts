import { filesOf } from '../features/file/files.ts'
import { badRequest } from '../http/errors.ts'
import { type Limits, type Overrides, type QuotaName, sampleBytes } from '../lib/quota.ts'
import type { Going, SiteParts } from './parts.ts'
import { readSite, type SiteCounts } from './reading.ts'
import type { RecordOf } from './records.ts'

/** What a file has. */
export type Survey = {
  head: RecordOf<'head'>
  installation: RecordOf<'installation'>
  counts: SiteCounts
  sha256: string
}

type Used = Record<'topics' | 'history_bytes' | 'files' | 'file_bytes', number>

/**
 * Reads the whole file before anything is stored. A file that is damaged, or does not fit into the
 * quotas of its new place, changes nothing.
 */
export async function surveySite(
  parts: SiteParts,
  {
    file,
    organizationId,
    own
  }: { file: string; organizationId: number; own: Overrides | 'carried' },
  going: Going
): Promise<Survey> {
  const found: { head?: RecordOf<'head'>; installation?: RecordOf<'installation'> } = {}
  const counts: SiteCounts = {}
  const topics = new Set<string>()
  const used: Used = { topics: 0, history_bytes: 0, files: 0, file_bytes: 0 }
  const count = (name: string, more: number) => {
    counts[name] = (counts[name] ?? 0) + more
  }
  let limits: Used | undefined
  let sha256 = ''
  const reading = { ...going, now: parts.clock(), onEnd: (sum: string) => (sha256 = sum) }
  for await (const part of readSite(file, reading)) {
    if (part.of === 'record') {
      const { kind, record } = part
      count(kind, 1)
      if (kind === 'head') found.head = record
      if (kind === 'installation') {
        found.installation = record
        const overrides = own === 'carried' ? overridesOf(record.quotas) : own
        limits = await limitsOf(parts, organizationId, overrides)
      }
      if (kind === 'file') {
        used.files++
        used.file_bytes += record.size
      }
    } else if (part.of !== 'content') {
      count(part.of === 'samples' ? 'sample' : 'latest', part.samples.length)
      for (const { topic, msg } of part.samples) {
        topics.add(topic)
        if (part.of === 'samples') used.history_bytes += sampleBytes(topic, msg)
      }
      used.topics = topics.size
    }
    if (limits) requireRoom(used, limits)
  }
  const { head, installation } = found
  if (!head || !installation) throw new Error('the file has no installation')
  return { head, installation, counts, sha256 }
}

/** Own quotas of an installation. */
export function overridesOf(quotas: RecordOf<'installation'>['quotas']): Overrides {
  const given = Object.entries(quotas).filter(([, quota]) => typeof quota === 'number')
  return Object.fromEntries(given) as Overrides
}

/** What the new installation may use, and what its organization and those above have left. */
async function limitsOf(
  { registry, quotas, accounts }: SiteParts,
  organizationId: number,
  own: Overrides
): Promise<Used> {
  const limits: Limits[] = [{ ...quotas.defaultsOf('installation'), ...own }]
  for (const payer of quotas.organizationsOf(organizationId)) {
    const account = accounts.find(payer)
    const most = quotas.limitsOf(payer)
    if (!account || !most) continue
    const { files, bytes } = await filesOf(registry, payer, { reach: 'below' })
    limits.push({
      ...most,
      topics: most.topics - account.topics,
      history_bytes: most.history_bytes - account.bytes,
      files: most.files - files,
      file_bytes: most.file_bytes - bytes
    })
  }
  const least = (name: QuotaName) => Math.min(...limits.map((one) => one[name]))
  return {
    topics: least('topics'),
    history_bytes: least('history_bytes'),
    files: least('files'),
    file_bytes: least('file_bytes')
  }
}

function requireRoom(used: Used, limits: Used): void {
  for (const name of Object.keys(used) as (keyof Used)[]) {
    if (used[name] <= limits[name]) continue
    throw badRequest(
      `the site goes beyond the quota ${name}, of which ${Math.max(0, limits[name])} is left: raise it, or import into another organization`
    )
  }
}
