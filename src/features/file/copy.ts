import { opendirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export type StoredContent = { hash: string; path: string; bytes: number }

/** The file that says which platform the contents belong to. */
export const PLATFORM_FILE = 'platform'

/** Every content of a file store, without uploads that have not ended. */
export function* contentsIn(filesDir: string): Generator<StoredContent> {
  for (const folder of entriesOf(filesDir, /^[0-9a-f]{2}$/)) {
    for (const name of entriesOf(join(filesDir, folder), /^[0-9a-f]{62}$/)) {
      const path = join(filesDir, folder, name)
      const found = statSync(path, { throwIfNoEntry: false })
      if (found?.isFile()) yield { hash: folder + name, path, bytes: found.size }
    }
  }
}

/** Sorted, so that two copies are listed in the same order. */
function entriesOf(directory: string, shape: RegExp): string[] {
  const names: string[] = []
  const entries = opendirSync(directory)
  try {
    for (let entry = entries.readSync(); entry; entry = entries.readSync()) {
      if (shape.test(entry.name)) names.push(entry.name)
    }
  } finally {
    entries.closeSync()
  }
  return names.sort()
}
