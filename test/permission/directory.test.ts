import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { HOUR, MINUTE } from '../../src/lib/unix-time.ts'
import { endsWithin } from '../../src/lib/within.ts'
import { Directory } from '../../src/permission/directory.ts'
import { forgetChanges, recordChange } from '../../src/registry/changes.ts'
import { deleteInstallations, insertInstallation } from '../../src/registry/installations.ts'
import { openRegistry } from '../../src/registry/open.ts'
import { insertOrganization } from '../../src/registry/organizations.ts'
import type { Registry } from '../../src/registry/tables.ts'
import { onEveryRegistry } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'

onEveryRegistry('directory', ({ url }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'caracal-'))
  let registry: Registry
  before(async () => {
    registry = await openRegistry({ url: await url(), dataDir })
    const top = { name: 'Home', parent_id: null }
    await registry.transaction().execute((registry) => insertOrganization(registry, top, 0))
  })
  after(async () => {
    await registry.destroy()
    rmSync(dataDir, { recursive: true })
  })

  const install = (now: number) =>
    registry
      .transaction()
      .execute((registry) => insertInstallation(registry, { name: 'x', organization_id: 1 }, now))

  test('a node that was away longer than changes are kept still learns them', async () => {
    let now = 0
    const gone = await install(now)
    const directory = await Directory.open(registry, () => now)
    const heard: (string | number)[] = []
    directory.onIdentityChange(() => heard.push('identity'))
    directory.onRemoved((id) => heard.push(id))
    await registry.transaction().execute(async (registry) => {
      await deleteInstallations(registry, [gone], now)
      await recordChange(registry, 'user', 1, now)
    })
    const made = await install(now)
    now += HOUR + MINUTE
    await recordChange(registry, 'user', 1, now)
    await forgetChanges(registry, now - HOUR)
    await directory.catchUp()
    assert.equal(directory.installation(gone), undefined)
    assert.equal(directory.installation(made)?.id, made)
    assert.deepEqual(heard, [gone, 'identity'])
  })

  test('changes are applied after the work they wait for, or after a second', async () => {
    const directory = await Directory.open(registry, () => 0)
    for (const work of [Promise.withResolvers<void>(), Promise.withResolvers<void>()]) {
      const id = await install(0)
      await directory.catchUp()
      directory.waitFor(work.promise)
      await registry.transaction().execute((registry) => deleteInstallations(registry, [id], 0))
      const run = directory.catchUp()
      assert.equal(await endsWithin(100, run), false)
      assert.equal(directory.installation(id)?.id, id)
      if (id % 2 === 0) work.resolve()
      await run
      assert.equal(directory.installation(id), undefined)
    }
  })

  test(
    'a caller always sees its own change, however another run ends beside it',
    slow,
    async () => {
      const directory = await Directory.open(registry, () => 0)
      for (let turns = 0; turns < 60; turns++) {
        const id = await install(0)
        // The other run has read before, and ends after this many turns.
        const other = directory.catchUp()
        const made = install(0)
        await made
        for (let turn = 0; turn < turns; turn++) await Promise.resolve()
        await directory.catchUp()
        assert.equal(directory.installation(id)?.id, id)
        assert.equal(directory.installation(await made)?.id, await made, `after ${turns} turns`)
        await other
      }
    }
  )

  test('only the changes since the last look are read', async () => {
    const directory = await Directory.open(registry, () => 0)
    let identities = 0
    directory.onIdentityChange(() => identities++)
    await directory.catchUp()
    assert.equal(identities, 0)
    const id = await install(0)
    await directory.catchUp()
    assert.equal(directory.installation(id)?.id, id)
  })
})
