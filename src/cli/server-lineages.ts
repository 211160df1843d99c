import type { VerifyOptions } from '../backup/verify.ts'
import type { Config } from '../config.ts'
import { openHistory } from '../history/open.ts'
import { openUnchanged } from '../registry/open.ts'
import { readRegistryLineage } from '../registry/platform.ts'

/** What the servers of the settings say about the platform that they belong to. */
export async function serverLineages(
  config: Config
): Promise<NonNullable<VerifyOptions['server']>> {
  const { REGISTRY_URL, HISTORY_URL, HISTORY_CLUSTER, HISTORY_QUORUM, DATA_DIR } = config
  const server: NonNullable<VerifyOptions['server']> = {}
  if (REGISTRY_URL !== '') {
    const registry = openUnchanged(REGISTRY_URL)
    try {
      server.registry = {
        name: 'the registry CARACAL_REGISTRY_URL',
        ...(await readRegistryLineage(registry))
      }
    } catch (error) {
      throw new Error(`CARACAL_REGISTRY_URL does not answer (${(error as Error).message})`)
    } finally {
      await registry.destroy()
    }
  }
  if (HISTORY_URL !== '') {
    const history = await openHistory({
      ...{ url: HISTORY_URL, dataDir: DATA_DIR },
      ...{ cluster: HISTORY_CLUSTER, quorum: HISTORY_QUORUM }
    })
    try {
      server.history = { name: 'the history CARACAL_HISTORY_URL', ...(await history.lineage()) }
    } finally {
      await history.close()
    }
  }
  return server
}
