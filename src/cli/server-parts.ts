import { readServers, type Servers } from '../backup/servers.ts'
import type { Config } from '../config.ts'
import { openHistory } from '../history/open.ts'
import { openUnchanged } from '../registry/open.ts'

/** What the servers of the settings hold, and to which platform it belongs. */
export async function readServersOf(config: Config): Promise<Servers> {
  return { ...(await readRegistry(config)), ...(await readHistory(config)) }
}

async function readRegistry({ REGISTRY_URL }: Config): Promise<Servers> {
  if (REGISTRY_URL === '') return {}
  const registry = await openUnchanged(REGISTRY_URL)
  try {
    return await readServers({ registry, history: undefined })
  } catch (error) {
    throw new Error(`CARACAL_REGISTRY_URL does not answer (${(error as Error).message})`)
  } finally {
    await registry.destroy()
  }
}

async function readHistory(config: Config): Promise<Servers> {
  const { HISTORY_URL, HISTORY_CLUSTER, HISTORY_QUORUM, DATA_DIR } = config
  if (HISTORY_URL === '') return {}
  const history = await openHistory({
    ...{ url: HISTORY_URL, dataDir: DATA_DIR },
    ...{ cluster: HISTORY_CLUSTER, quorum: HISTORY_QUORUM }
  })
  try {
    return await readServers({ registry: undefined, history })
  } finally {
    await history.close()
  }
}
