import { chmodSync } from 'node:fs'
import type { Logger } from 'pino'
import type { App } from '../../deps.ts'
import { clearPlace, freePlaces } from './place.ts'

export type ControlServer = { readonly path: string; close(): Promise<void> }

/**
 * Serves operators on a Unix socket that only the owner of the data can reach. Without it the
 * platform works, but commands do not reach it: that is logged, and no reason to stop.
 */
export async function serveControl(
  app: App,
  dataDir: string,
  log: Logger
): Promise<ControlServer | undefined> {
  try {
    const path = await listenAt(app, dataDir)
    return {
      path,
      close: async () => {
        await app.close()
        clearPlace(dataDir)
      }
    }
  } catch (err) {
    log.error(
      { err },
      'the control socket could not be opened: commands do not reach this platform'
    )
    await app.close()
    return undefined
  }
}

/** Some file systems have no sockets, so a failure in the data directory is not the end. */
async function listenAt(app: App, dataDir: string): Promise<string> {
  let fault: unknown
  for (const path of freePlaces(dataDir)) {
    try {
      await app.listen({ path })
      chmodSync(path, 0o600)
      return path
    } catch (error) {
      fault = error
    }
  }
  throw fault
}
