import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { systemClock } from '../lib/clock.ts'
import { highest, type Ids, idKinds, idsOf, listed, mismatch, shortId } from '../lib/lineage.ts'
import { decodeSamples, type Sample } from '../lib/sample.ts'
import { claimParts, type FoundLineages, faultIn, readLineages } from '../platform/lineage.ts'
import { openParts } from '../platform/part.ts'
import type { Given, Storage } from '../platform/parts.ts'
import { storage } from '../platform/storage.ts'
import { askForIds, confirmIds, raiseIds } from '../registry/id-reserves.ts'
import { readAllInstallationRefs } from '../registry/installations.ts'
import type { Registry } from '../registry/tables.ts'
import type { Output } from './progress.ts'

/** There may be many unknown installations. Only so many are named. */
const MAX_NAMED_INSTALLATIONS = 10

export type Adopted =
  | { adopted: false }
  | { adopted: true; next_ids: Ids; unknown_installations: number }

/**
 * Makes one platform of the parts that are here, while the platform is stopped. New ids are above
 * every id that any part has seen, so that no new thing gets an old id [ADR-0030].
 */
export async function adopt(
  config: Config,
  { log, out }: { log: Logger; out: Output }
): Promise<Adopted> {
  const given = { config, log, clock: systemClock, isAlone: true }
  const { parts, stop } = await openParts<Given & Storage, keyof Storage>(given, storage)
  try {
    const { registry, history } = parts
    const found = await readLineages(parts)
    out.write(`\n${describe(found)}\n`)
    if (faultIn(found) === undefined) {
      out.write('\n  All parts belong together: there is nothing to do.\n\n')
      return { adopted: false }
    }
    await refuseStranger(registry, found)
    const { platform } = found.registry
    const beyond = highest(...found.parts.flatMap(({ reached, reserved }) => [reached, reserved]))
    await raiseIds(registry, beyond)
    const reserved = await askForIds(registry)
    const reached = highest(beyond, found.registry.reached)
    await history.keepLineage({ platform, reached, reserved })
    await confirmIds(registry, reserved)
    await claimParts(parts, platform)
    const unknown = await unknownInstallations(parts)
    out.write(`\n${outcome(reached, unknown)}\n\n`)
    return {
      adopted: true,
      next_ids: idsOf((kind) => reached[kind] + 1),
      unknown_installations: unknown.length
    }
  } finally {
    await stop()
  }
}

/** The registry of another platform has its own installations under the ids of these samples. */
async function refuseStranger(
  registry: Registry,
  { registry: own, parts }: FoundLineages
): Promise<void> {
  if (own.isNew) return
  const stranger = parts.find((part) => (part.platform ?? own.platform) !== own.platform)
  if (!stranger) return
  let length = 0
  for await (const refs of readAllInstallationRefs(registry)) length += refs.length
  if (length === 0) return
  throw new Error(
    `${mismatch(own, stranger)}; ${own.name} has ${length} installations, which would show the values of another platform: start each platform with its own parts`
  )
}

/** Installations with samples in history or the spool that the registry does not know. */
async function unknownInstallations({ registry, history, spool }: Storage): Promise<number[]> {
  const stored = new Set<number>()
  const add = ({ installation_id }: Sample) => stored.add(installation_id)
  for await (const samples of history.latest()) samples.forEach(add)
  for await (const rows of spool.rows()) for (const sample of decodeSamples(rows)) add(sample)
  for await (const refs of readAllInstallationRefs(registry)) {
    for (const { id } of refs) stored.delete(id)
  }
  return [...stored].sort((a, b) => a - b)
}

const describe = ({ registry, parts }: FoundLineages): string =>
  [
    `  ${registry.name}: platform ${shortId(registry.platform)}${registry.isNew ? ', new' : ''}, has given out ${listed(registry.reached)}`,
    ...parts.map(({ name, platform, reached, reserved }) => {
      const owner = platform === undefined ? 'no platform yet' : `platform ${shortId(platform)}`
      const ids = highest(reached, reserved)
      const isCounting = idKinds.some((kind) => ids[kind] > 0)
      return `  ${name}: ${owner}${isCounting ? `, has seen ${listed(reached)}` : ''}`
    })
  ].join('\n')

function outcome(reached: Ids, unknown: readonly number[]): string {
  const next = listed(idsOf((kind) => reached[kind] + 1))
  const lines = [`  Adopted. The next ids are ${next}.`]
  if (unknown.length > 0) {
    const more = unknown.length > MAX_NAMED_INSTALLATIONS ? ' ...' : ''
    lines.push(
      `  There are values of ${unknown.length} installations that the registry does not know (${unknown.slice(0, MAX_NAMED_INSTALLATIONS).join(', ')}${more}).`,
      '  These values stay stored, but no user can see them.'
    )
  }
  return lines.join('\n')
}
