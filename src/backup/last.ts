import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { replaceFile } from '../lib/sync-path.ts'
import { SECOND } from '../lib/unix-time.ts'
import type { Made } from './work.ts'

/** Times in Unix seconds, sizes in bytes. */
export const LastBackups = Type.Object({
  made: Type.Union([
    Type.Object({
      place: Type.String({ description: 'The folder of the backup' }),
      started: Type.Integer(),
      ended: Type.Integer(),
      bytes: Type.Integer(),
      new_bytes: Type.Integer({ description: 'What this backup added to the disk' })
    }),
    Type.Null()
  ]),
  failed: Type.Union([
    Type.Object({ directory: Type.String(), at: Type.Integer(), error: Type.String() }),
    Type.Null()
  ]),
  verified: Type.Optional(
    Type.Object({
      place: Type.String({ description: 'The folder of the backup' }),
      at: Type.Integer(),
      values: Type.Integer(),
      files: Type.Integer(),
      faults: Type.Integer({ description: '0: everything is whole' }),
      findings: Type.Array(
        Type.Object({
          file: Type.String(),
          fault: Type.String(),
          lost: Type.Optional(Type.String())
        }),
        { description: 'The first ones' }
      ),
      error: Type.Union([Type.String(), Type.Null()], {
        description: 'Why it could not be read to its end'
      })
    })
  )
})
/**
 * The last backup that was made, the last one that failed since, and the last one that was read
 * because somebody asked the platform.
 */
export type LastBackups = Static<typeof LastBackups>

export const madeOf = (
  place: string,
  { started, ended, bytes, new_bytes }: Pick<Made, 'started' | 'ended' | 'bytes' | 'new_bytes'>
): NonNullable<LastBackups['made']> => ({
  ...{ place, bytes, new_bytes },
  ...{ started: secondOf(started), ended: secondOf(ended) }
})

const secondOf = (time: string): number => Math.floor(Date.parse(time) / SECOND)
const none: LastBackups = { made: null, failed: null }
const fileOf = (dataDir: string): string => join(dataDir, 'backup.json')

export function readLast(dataDir: string): LastBackups {
  try {
    const last: unknown = JSON.parse(readFileSync(fileOf(dataDir), 'utf8'))
    return Value.Check(LastBackups, last) ? last : none
  } catch {
    return none
  }
}

/** It only helps an operator, so a disk that is full is no reason to fail. */
export function writeLast(dataDir: string, last: LastBackups): void {
  try {
    replaceFile(fileOf(dataDir), `${JSON.stringify(last)}\n`)
  } catch {}
}
