import type { PartList } from '../part.ts'
import type { Control, Parts } from '../parts.ts'
import { STOP_LIMIT_MS } from '../storage.ts'
import { createControl } from './app.ts'
import { controlParts } from './running.ts'
import { serveControl } from './server.ts'

/** Opened last and closed first: a command never meets a platform that is half open. [ADR-0049] */
export const control: PartList<Parts, keyof Control> = {
  control: {
    open: async (parts) =>
      serveControl(await createControl(controlParts(parts)), parts.config.DATA_DIR, parts.log),
    close: (server) => server?.close(),
    closeWithinMs: STOP_LIMIT_MS
  }
}
