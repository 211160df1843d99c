import { createHash } from 'node:crypto'
import { ApiError, badRequest } from '../../http/errors.ts'
import { appJsonFault } from '../../lib/edge-config.ts'
import type { EdgeAppFiles } from './versions.ts'

/** Each file of a version may have so many bytes. */
export const MAX_FILE_BYTES = 1024 * 1024

export function versionOf({
  app_json,
  app_lua
}: Partial<EdgeAppFiles>): EdgeAppFiles & { hash: string } {
  if (app_json === undefined) throw badRequest('app_json is required in the first version')
  if (app_lua === undefined) throw badRequest('app_lua is required in the first version')
  const fault = appJsonFault(app_json)
  if (fault) throw new ApiError(400, fault)
  return { app_json, app_lua, hash: hashOf([app_json, app_lua]) }
}

/**
 * Hashes the files with their lengths, so that text moved from one file to the other is noticed.
 */
function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${Buffer.byteLength(file)}\n`).update(file)
  return hash.digest('hex')
}
