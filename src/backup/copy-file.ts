import { createHash } from 'node:crypto'
import { closeSync, constants, fsyncSync, linkSync, openSync, readSync, writeSync } from 'node:fs'

const CHUNK_BYTES = 1024 * 1024

export type Copied = { bytes: number; sha256: string }

/** The size and the checksum of a file. Links are not followed. */
export const hashFile = (path: string, onBytes?: (bytes: number) => void): Copied =>
  readThrough(path, (chunk) => onBytes?.(chunk.length))

/** Copies a file that is not there yet. When it returns, the copy is on disk. */
export function copyFile(from: string, to: string, onBytes?: (bytes: number) => void): Copied {
  const target = openSync(to, 'wx', 0o600)
  try {
    const copied = readThrough(from, (chunk) => {
      for (let at = 0; at < chunk.length; ) at += writeSync(target, chunk, at)
      onBytes?.(chunk.length)
    })
    fsyncSync(target)
    return copied
  } finally {
    closeSync(target)
  }
}

function readThrough(path: string, take: (chunk: Buffer) => void): Copied {
  const source = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const digest = createHash('sha256')
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    let bytes = 0
    for (;;) {
      const read = readSync(source, buffer, 0, CHUNK_BYTES, null)
      if (read === 0) return { bytes, sha256: digest.digest('hex') }
      const chunk = buffer.subarray(0, read)
      digest.update(chunk)
      take(chunk)
      bytes += read
    }
  } finally {
    closeSync(source)
  }
}

/** False when the file system cannot link these two: they are on different disks, for example. */
export function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error
    return false
  }
}
