import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'

/** What was written to a file, or created in a directory, survives a power cut. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}

/** The same, for threads that may wait. */
export function syncPathNow(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Replaces a small file. A crash leaves the old text or the new one, never half of it. */
export function replaceFile(path: string, text: string): void {
  const part = `${path}.part`
  writeFileSync(part, text, { mode: 0o600, flush: true })
  renameSync(part, path)
  syncPathNow(dirname(path))
}
