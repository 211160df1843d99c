import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { systemClock } from '../lib/clock.ts'
import { highest, type Ids, idKinds, idsOf, listed, mismatch, shortId } from '../lib/lineage.ts'
import { decodeSamples, type Sample } from '../lib/sample.ts'
import { openParts, type Parts } from '../platform-parts.ts'
import type { Output } from '../progress.ts'
import { askForIds, confirmIds, raiseIds } from '../registry/id-reserves.ts'
import { readInstallationRefs } from '../registry/installations.ts'
import type { Registry } from '../registry/tables.ts'
import { claimParts, type Found, faultIn, readLineages } from '../workers/lineage.ts'

/** How many unknown installations are named; there may be many. */
const NAMED_AT_MOST = 10

/**
 * Makes one platform of what is here, on a stopped platform. Ids go on above everything that any
 * part has ever seen, so that nothing new is taken for something old [ADR-0030].
 */
export async function adopt(
  config: Config,
  { log, out }: { log: Logger; out: Output }
): Promise<void> {
  const closers: (() => unknown)[] = []
  try {
    const parts = await openParts(config, closers, { clock: systemClock, log, isAlone: true })
    const { registry, history } = parts
    const found = await readLineages(parts)
    out.write(`\n${describe(found)}\n`)
    if (faultIn(found) === undefined) {
      out.write('\n  All parts belong together: there is nothing to do.\n\n')
      return
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
  } finally {
    for (let close = closers.pop(); close; close = closers.pop()) await close()
  }
}

/** Another platform's registry has installations of its own under the ids that these samples have. */
async function refuseStranger(registry: Registry, { registry: own, parts }: Found): Promise<void> {
  if (own.isNew) return
  const stranger = parts.find((part) => (part.platform ?? own.platform) !== own.platform)
  if (!stranger) return
  const { length } = await readInstallationRefs(registry)
  if (length === 0) return
  throw new Error(
    `${mismatch(own, stranger)}; ${own.name} has ${length} installations of its own, which would show the values of others: start each platform with its own parts`
  )
}

/** Installations whose values are stored, or wait in the spool, and that the registry does not know. */
async function unknownInstallations({ registry, history, spool }: Parts): Promise<number[]> {
  const stored = new Set<number>()
  const add = ({ installation_id }: Sample) => stored.add(installation_id)
  for await (const samples of history.latest()) samples.forEach(add)
  for await (const rows of spool.rows()) for (const sample of decodeSamples(rows)) add(sample)
  for (const { id } of await readInstallationRefs(registry)) stored.delete(id)
  return [...stored].sort((a, b) => a - b)
}

const describe = ({ registry, parts }: Found): string =>
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
  const lines = [`  Adopted. Ids go on with ${next}.`]
  if (unknown.length > 0) {
    const more = unknown.length > NAMED_AT_MOST ? ' ...' : ''
    lines.push(
      `  There are values of ${unknown.length} installations that the registry does not know (${unknown.slice(0, NAMED_AT_MOST).join(', ')}${more}).`,
      '  They stay where they are, and nobody is shown them.'
    )
  }
  return lines.join('\n')
}
