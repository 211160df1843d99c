import { constants, copyFile, mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

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
    await sync(part)
    await rename(part, target)
    await sync(directory)
    await rm(path)
  }
  await sync(directory)
  await sync(dirname(path))
  return true
}

/** What was written to a file, or created in a directory, survives a power cut. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}
