import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { InstallationDeps } from '../features/installation/deps.ts'
import { diskFull } from '../http/errors.ts'
import { exportSite } from './export.ts'
import type { SiteParts } from './parts.ts'

/**
 * Site files that somebody downloads. A file has a name only while it is written, so it is gone when
 * its reader ends; what a killed process left is removed here.
 */
export function siteDownloads(parts: SiteParts): InstallationDeps['siteFile'] {
  const directory = join(parts.dataDir, 'exports')
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { mode: 0o700 })
  return async (installationId, signal) => {
    const file = join(directory, randomUUID())
    const onProgress = () => {
      if (!parts.hasRoom()) throw diskFull()
    }
    try {
      onProgress()
      const { bytes } = await exportSite(parts, { installationId, file }, { signal, onProgress })
      const handle = await open(file)
      return { content: handle.createReadStream(), bytes }
    } finally {
      await rm(file, { force: true })
    }
  }
}
