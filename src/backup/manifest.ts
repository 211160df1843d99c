import { hash } from 'node:crypto'
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { PACK_NAME } from '../history/sqlite/copy.ts'

/** Raised when an older program could not restore what this one writes. */
export const FORMAT = 1
export const MANIFEST = 'manifest.json'
/** One line of JSON for each file, sorted by path. */
export const LISTING = 'files.ndjson'
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Counts = Type.Record(Type.String(), Count)
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Ids = Type.Object({
  organization: Count,
  user: Count,
  installation: Count,
  object: Count
})

const PartName = Type.Union([
  Type.Literal('spool'),
  Type.Literal('history'),
  Type.Literal('queue'),
  Type.Literal('registry'),
  Type.Literal('files')
])
export type PartName = Static<typeof PartName>

/** What a backup says about itself. Its checksum stands beside it in the file. */
const Manifest = Type.Object({
  format: Type.Integer(),
  version: Type.String({ maxLength: 100 }),
  /** The beginning of the id of the platform. The whole id is secret. */
  platform: Type.String({ maxLength: 100 }),
  started: Type.String({ maxLength: 30 }),
  ended: Type.String({ maxLength: 30 }),
  /** The parts that are in this backup, and those that other servers keep. */
  parts: Type.Array(PartName),
  elsewhere: Type.Array(Type.Object({ part: PartName, place: Type.String() })),
  /** The number of the last migration of the registry. */
  schema: Type.Union([Count, Type.Null()]),
  /** The highest ids that were given out. */
  ids: Ids,
  /** As they are stored: a sample that is stored twice counts twice. */
  samples: Type.Object({ months: Counts, installations: Counts, spool: Count }),
  /** Rows of each table. */
  rows: Type.Object({ registry: Counts, queue: Counts }),
  files: Type.Object({ count: Count, bytes: Count, sha256: Sha256 }),
  /** What was on servers when the backup ended. */
  servers: Type.Optional(
    Type.Object({
      registry: Type.Optional(Counts),
      history: Type.Optional(Type.Object({ months: Counts, installations: Counts }))
    })
  ),
  /** Files that were missing when the backup was made, by path. */
  missing: Type.Array(Type.String())
})
export type Manifest = Static<typeof Manifest>

export const Entry = Type.Object({
  path: Type.String(),
  bytes: Count,
  sha256: Sha256,
  /** Of a packed file: its samples by installation. */
  installations: Type.Optional(Counts)
})
/** A line of the listing. */
export type Entry = Static<typeof Entry>

const paths = [
  /^(spool|mqtt|registry)\.sqlite$/,
  /^history\/sqlite\/history\.sqlite$/,
  /^files\/platform$/,
  /^files\/[0-9a-f]{2}\/[0-9a-f]{62}$/
]
const PACKS = 'history/sqlite/packs/'

/** Only these are read or written. So no listing can name a place outside of its folder. */
export const isPathOfBackup = (path: string): boolean =>
  path.startsWith(PACKS)
    ? PACK_NAME.test(path.slice(PACKS.length))
    : paths.some((shape) => shape.test(path))

export const pathOfPack = (name: string): string => PACKS + name
export const isPack = (path: string): boolean => path.startsWith(PACKS)
export const pathOfContent = (hash: string): string => `files/${hash.slice(0, 2)}/${hash.slice(2)}`
/** The hash that the name of a content promises; undefined for other files. */
export const hashOfContent = (path: string): string | undefined => {
  const [, folder, name] = /^files\/([0-9a-f]{2})\/([0-9a-f]{62})$/.exec(path) ?? []
  return folder === undefined || name === undefined ? undefined : folder + name
}

export const manifestText = (manifest: Manifest): string =>
  `${JSON.stringify({ manifest, sha256: hash('sha256', JSON.stringify(manifest)) }, null, 1)}\n`

/** Throws one line that names the file, if it is not a manifest that this program can use. */
export function readManifest(directory: string): Manifest {
  const file = join(directory, MANIFEST)
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (!found) throw new Error(`${directory} is not a backup: it has no ${MANIFEST}`)
  if (!found.isFile()) throw new Error(`${file} is not a file`)
  if (found.size > MAX_MANIFEST_BYTES) throw new Error(`${file} is too large for a manifest`)
  let text: { manifest?: unknown; sha256?: unknown }
  try {
    text = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${file} is damaged (${(error as Error).message})`)
  }
  const { manifest, sha256 } = text ?? {}
  if (manifest === undefined || hash('sha256', JSON.stringify(manifest)) !== sha256)
    throw new Error(`${file} is damaged: its checksum is wrong`)
  const format = (manifest as { format?: unknown })?.format
  if (typeof format === 'number' && format > FORMAT)
    throw new Error(
      `${file} has format ${format}, but this program knows only ${FORMAT}: use a newer Caracal`
    )
  if (!Value.Check(Manifest, manifest)) throw new Error(`${file} is not the manifest of a backup`)
  return manifest
}
