import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, test } from 'node:test'
import {
  type Entry,
  LISTING,
  MANIFEST,
  type Manifest,
  manifestText,
  readManifest
} from '../../src/backup/manifest.ts'
import { restoreBackup } from '../../src/backup/restore.ts'
import { type Verified, verifyBackup } from '../../src/backup/verify.ts'
import { command } from '../support/command.ts'
import { fillPlatform, PACKED_VALUES } from '../support/filled-platform.ts'
import { temporaryDirectory } from '../support/process.ts'
import { startProgram } from '../support/program.ts'

const directory = temporaryDirectory()
const dataDir = join(directory, 'data')
let whole = ''
let files: string[] = []
let copies = 0

before(async () => {
  const env = {
    CARACAL_DATA_DIR: dataDir,
    CARACAL_ADMIN_EMAIL: 'boss@example.org',
    CARACAL_ADMIN_PASSWORD: 'correct horse battery'
  }
  const caracal = await startProgram(env)
  await fillPlatform(caracal)
  await caracal.stop()
  const backups = join(directory, 'backups')
  const { code, err } = await command(env, 'backup', backups)
  assert.equal(code, 0, err)
  const [name = ''] = readdirSync(backups).filter((entry) => !entry.startsWith('.'))
  whole = join(backups, name)
  files = listingOf(whole).map(({ path }) => path)
})

const listingOf = (backup: string): Entry[] =>
  readFileSync(join(backup, LISTING), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** A backup that a test may break. */
function copyOf(from = whole): string {
  const copy = join(directory, `copy ${++copies}`)
  cpSync(from, copy, { recursive: true })
  return copy
}

const verify = (backup: string): Promise<Verified> =>
  verifyBackup(backup, { onProgress: () => {}, servers: {} })

function flip(file: string, at: number): void {
  const bytes = readFileSync(file)
  bytes[at] = (bytes[at] ?? 0) ^ 0x40
  writeFileSync(file, bytes)
}

/** With a checksum that fits. */
function writeManifest(backup: string, change: (manifest: Manifest) => void): void {
  const manifest = structuredClone(readManifest(backup))
  change(manifest)
  writeFileSync(join(backup, MANIFEST), manifestText(manifest))
}

function writeListing(backup: string, entries: readonly object[]): void {
  const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
  writeFileSync(join(backup, LISTING), text)
  writeManifest(backup, (manifest) => {
    const bytes = (entries as Entry[]).reduce((sum, entry) => sum + entry.bytes, 0)
    manifest.files = { count: entries.length, bytes, sha256: hash('sha256', text) }
  })
}

/** Neither command uses it, and nothing is written. */
async function refusedByBoth(backup: string, reason: RegExp): Promise<void> {
  const { findings } = await verify(backup)
  assert(
    findings.some(({ fault }) => reason.test(fault)),
    JSON.stringify(findings)
  )
  const to = join(directory, `refused ${copies}`)
  const { code, out } = await command({}, 'restore', backup, '--to', to)
  assert.equal(code, 1, out)
  assert(!existsSync(to))
  await assert.rejects(restoreBackup(backup, to, () => {}))
  assert(!existsSync(to))
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.includes('restoring')),
    []
  )
}

test('verify finds nothing wrong with a whole backup', async () => {
  const { faults, samples, files: count } = await verify(whole)
  assert.equal(faults, 0)
  assert.equal(samples, PACKED_VALUES + 100)
  assert.equal(count, files.length)
})

test('verify names each file with a flipped byte, and each missing file, and what is lost', async () => {
  assert(files.length >= 7, 'a file of each kind')
  for (const path of [...files, MANIFEST, LISTING]) {
    const flipped = copyOf()
    const size = readFileSync(join(flipped, path)).length
    flip(join(flipped, path), Math.floor(size * 0.6))
    const found = await verify(flipped)
    assert.deepEqual([...new Set(found.findings.map(({ file }) => file))], [path])
    if (path !== LISTING && path !== 'files/platform') assert(found.findings[0]?.lost, path)
    rmSync(flipped, { recursive: true })

    const lacking = copyOf()
    rmSync(join(lacking, path))
    const { findings } = await verify(lacking)
    assert.equal(findings[0]?.file, path)
    rmSync(lacking, { recursive: true })
  }
})

test('verify says which values are lost with a broken block', async () => {
  const broken = copyOf()
  const path = files.find((file) => file.endsWith('.pack')) ?? ''
  flip(join(broken, path), 200)
  const [finding] = (await verify(broken)).findings
  assert.match(
    finding?.lost ?? '',
    /^\d+ values of \d+\/obj\/t25000 from 2023-11-14T.* to 2023-11-/
  )
})

test('verify finds damage in a stopped data directory', async () => {
  const copy = copyOf(dataDir)
  assert.equal((await command({}, 'verify', copy)).code, 0)
  const packs = join(copy, 'history/sqlite/packs')
  const [pack = ''] = readdirSync(packs)
  rmSync(join(packs, pack))
  const { code, out } = await command({}, 'verify', copy)
  assert.equal(code, 1)
  assert.match(out, new RegExp(`BROKEN history/sqlite/packs/${pack}: it is missing`))
  assert.match(out, /lost: \d+ values .*from 2023-11/)
})

test('verify compares the counts with the manifest', async () => {
  const copy = copyOf()
  writeManifest(copy, (manifest) => {
    manifest.samples.months['2023-11'] = 1
  })
  const { findings } = await verify(copy)
  assert.match(findings[0]?.fault ?? '', /^values: it says/)
})

test('parts of two platforms do not belong together', async () => {
  const other = copyOf()
  const entries = listingOf(other)
  const text = `${'0'.repeat(32)}\n`
  writeFileSync(join(other, 'files/platform'), text)
  writeListing(
    other,
    entries.map((entry) =>
      entry.path === 'files/platform'
        ? { ...entry, bytes: text.length, sha256: hash('sha256', text) }
        : entry
    )
  )
  const { findings } = await verify(other)
  assert.match(findings[0]?.fault ?? '', /belongs to platform 00000000/)
})

test('a listing that names other places, wrong orders or impossible sizes is refused', async () => {
  const entries = listingOf(whole)
  const [first, ...rest] = entries
  const secret = join(directory, 'secret')
  writeFileSync(secret, 'secret')
  const facts = { bytes: 6, sha256: hash('sha256', 'secret') }
  for (const path of [
    ...['../secret', '/etc/passwd', secret, 'files/../../secret', 'outbox/x', 'a\0b', ''],
    ...[
      'files/aa/../../../secret',
      'history/sqlite/packs/../../../../secret',
      'registry.sqlite-wal'
    ],
    'history/sqlite/packs/2026-11-../../../../../../../../../../../../.pack'
  ]) {
    const copy = copyOf()
    writeListing(copy, [{ path, ...facts }, ...entries])
    await refusedByBoth(copy, /is damaged, or not one of Caracal's/)
  }
  for (const wrong of [
    [...rest, first],
    [first, first, ...rest],
    [{ ...first, bytes: -1 }, ...rest],
    [{ ...first, bytes: 1e300 }, ...rest],
    [{ ...first, sha256: 'x' }, ...rest]
  ]) {
    const copy = copyOf()
    writeListing(copy, wrong as object[])
    await refusedByBoth(copy, /damaged|not the manifest/)
  }
  const huge = copyOf()
  writeListing(huge, [{ ...first, bytes: 2 ** 50 }, ...rest])
  await refusedByBoth(huge, /bytes in place of/)
  const long = copyOf()
  const text = `"${'x'.repeat(17 * 1024 * 1024)}`
  writeFileSync(join(long, LISTING), text)
  await refusedByBoth(long, /too long/)
})

test('a database of another program is a finding, and so is a list of packed files elsewhere', async () => {
  for (const [path, sql] of [
    ...['registry.sqlite', 'spool.sqlite', 'mqtt.sqlite', 'history/sqlite/history.sqlite'].map(
      (path) => [path, 'create table other (a)']
    ),
    ['history/sqlite/history.sqlite', "update packs set name = '../../../secret'"]
  ] as const) {
    const copy = copyOf()
    const file = join(copy, path)
    if (sql.startsWith('create')) rmSync(file)
    const database = new DatabaseSync(file)
    database.exec(sql)
    database.close()
    const bytes = readFileSync(file)
    const facts = { bytes: bytes.length, sha256: hash('sha256', bytes) }
    const entries = listingOf(copy)
    writeListing(
      copy,
      entries.map((entry) => (entry.path === path ? { ...entry, ...facts } : entry))
    )
    assert.match(JSON.stringify((await verify(copy)).findings), /not a database of Caracal/)
  }
})

test('links in a backup are not followed', async () => {
  const copy = copyOf()
  renameSync(join(copy, 'registry.sqlite'), join(directory, 'moved.sqlite'))
  symlinkSync(join(directory, 'moved.sqlite'), join(copy, 'registry.sqlite'))
  await refusedByBoth(copy, /not a file/)
  const folder = copyOf()
  renameSync(join(folder, 'history'), join(directory, 'moved'))
  symlinkSync(join(directory, 'moved'), join(folder, 'history'))
  const { findings } = await verify(folder)
  assert(findings.some(({ fault }) => fault === 'its folder is missing'))
  assert.equal((await command({}, 'restore', folder, '--to', join(directory, 'no'))).code, 1)
})

test('a manifest of a newer format, or of something else, is refused', async () => {
  const newer = copyOf()
  writeManifest(newer, (manifest) => {
    manifest.format = 2
  })
  await refusedByBoth(newer, /use a newer Caracal/)
  const other = copyOf()
  writeFileSync(
    join(other, MANIFEST),
    JSON.stringify({ manifest: {}, sha256: hash('sha256', '{}') })
  )
  await refusedByBoth(other, /not the manifest/)
  assert.equal((await command({}, 'restore', directory, '--to', join(directory, 'x'))).code, 1)
})
