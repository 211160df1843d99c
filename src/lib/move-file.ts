import { constants, copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncPath } from './sync-path.ts'

/**
 * Moves a file into a directory, also of another disk. When it resolves, that survives a power cut.
 * False when there is no such file. An older file of the same name is replaced.
 */
export async function moveFile(path: string, directory: string): Promise<boolean> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const target = join(directory, basename(path))
  try {
    await rename(path, target)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    if (code !== 'EXDEV') throw error
    const part = `${target}.part`
    await copyFile(path, part, constants.COPYFILE_FICLONE)
    await syncPath(part)
    await rename(part, target)
    await syncPath(directory)
    await rm(path)
  }
  await syncPath(directory)
  await syncPath(dirname(path))
  return true
}
