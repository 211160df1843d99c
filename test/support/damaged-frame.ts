import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { type FrameName, frameNames } from '../../src/history/sqlite/block.ts'
import { END_BYTES, entryAt, listingAt } from '../../src/history/sqlite/pack-layout.ts'

/** Overwrites a part of the first block of a packed file. Queries that read this part must fail. */
export function damageFrame(file: string, name: FrameName): void {
  const bytes = readFileSync(file)
  const directory = bytes.readDoubleLE(bytes.length - END_BYTES)
  const { offset: page } = listingAt(bytes, directory)
  const { offset, lengths } = entryAt(bytes.subarray(page), 0)
  const index = frameNames.indexOf(name)
  const begin = lengths.slice(0, index).reduce((sum, length) => sum + length, offset)
  const length = lengths[index] as number
  assert(length > 0, `the first block has no ${name}`)
  bytes.fill(0x5a, begin, begin + length)
  writeFileSync(file, bytes)
}
