import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Directory } from '../../src/access/directory.ts'
import { HOUR, MINUTE } from '../../src/lib/unix-time.ts'
import { forgetChanges, recordChange } from '../../src/registry/changes.ts'
import { insertInstallation, removeInstallations } from '../../src/registry/installations.ts'
import { openRegistry } from '../../src/registry/open.ts'
import { insertOrganization } from '../../src/registry/organizations.ts'
import type { Registry } from '../../src/registry/tables.ts'
import { onEveryRegistry } from '../support/registries.ts'

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

  test('a node that was away until changes were forgotten knows them all the same', async () => {
    let now = 0
    const gone = await install(now)
    const directory = await Directory.open(registry, () => now)
    const heard: (string | number)[] = []
    directory.onIdentityChange(() => heard.push('identity'))
    directory.onRemoved((id) => heard.push(id))
    await registry.transaction().execute(async (registry) => {
      await removeInstallations(registry, [gone], now)
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

  test('what changed since the last time is read, and nothing else is', async () => {
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
