import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { MappingFields } from '../../src/features/mapping/fields.ts'
import { MappedFunctions } from '../../src/features/mapping/functions.ts'
import { Mappings } from '../../src/features/mapping/mappings.ts'
import { deleteMapping, insertMapping } from '../../src/features/mapping/rows.ts'
import type { DerivedValue } from '../../src/lib/mapping/rule.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { Directory } from '../../src/permission/directory.ts'
import { insertInstallation } from '../../src/registry/installations.ts'
import { listModelx } from '../../src/registry/modelx.ts'
import { openRegistry } from '../../src/registry/open.ts'
import { insertOrganization } from '../../src/registry/organizations.ts'
import type { Registry } from '../../src/registry/tables.ts'
import { inTransaction } from '../../src/registry/transaction.ts'
import { onEveryRegistry } from '../support/registries.ts'

const lineage = { ahead: async () => {}, note: async () => {} }
const derived = (topic: string): DerivedValue => ({
  ...{ topic, value: 1, timestamp: unixMs(0), unit: 'W', name: '', isWritable: false }
})

onEveryRegistry('mappings of several nodes', (engine) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'caracal-'))
  let registry: Registry
  let top = 0
  before(async () => {
    registry = await openRegistry({ url: await engine.url(), dataDir })
    top = await insertOrganization(registry, { name: 'top', parent_id: null }, 0)
  })
  after(async () => {
    await registry.destroy()
    rmSync(dataDir, { recursive: true })
  })

  const makeInstallation = () =>
    inTransaction(registry, async (registry) => {
      const organization_id = await insertOrganization(registry, { name: 'o', parent_id: top }, 0)
      const id = await insertInstallation(registry, { name: 'i', organization_id }, 0)
      return { id, organization_id }
    })
  const openNode = async () => {
    const directory = await Directory.open(registry)
    return { directory, mappings: await Mappings.open({ registry, directory, timezone: 'UTC' }) }
  }

  test('nodes that get the first values at the same time make each function once', async () => {
    const { id, organization_id } = await makeInstallation()
    const ref = { id, organization_id, client_id: 2000 + id }
    let told = 0
    const nodes = Array.from({ length: 4 }, () => {
      const tell = async () => void told++
      return new MappedFunctions({ registry, clock: Date.now, lineage, tell })
    })
    const values = Array.from({ length: 120 }, (_, i) => derived(`obj/${i}`))
    await Promise.all(
      nodes.flatMap((node, i) => [
        node.make(ref, values.slice(i)),
        node.make(ref, values.toReversed())
      ])
    )
    const topics: string[] = []
    for await (const part of listModelx(registry, { kind: 'function', installation_id: id })) {
      for (const { meta } of part) topics.push(JSON.parse(meta).topic_read)
    }
    assert.deepEqual(topics.sort(), values.map(({ topic }) => topic).sort())
    assert(told >= 1)
    for (const node of nodes) assert.deepEqual(node.missing(id, values), [])
  })

  test('a change on one node reaches the others', async () => {
    const { id, organization_id } = await makeInstallation()
    const [one, other] = [await openNode(), await openNode()]
    const fields: MappingFields = {
      ...{ name: '', active: true, filter: '', create_missing: false, values: [] },
      make: 'ttn'
    }
    const countOf = async ({ directory, mappings }: typeof one) => {
      await directory.catchUp()
      return (await mappings.read(id))?.active.length ?? 0
    }
    assert.equal(await countOf(other), 0)
    const own = { kind: 'installation', id } as const
    const made = await insertMapping(registry, own, fields, 1)
    assert(typeof made !== 'string')
    assert.deepEqual([await countOf(one), await countOf(other)], [1, 1])
    assert.equal(other.mappings.isUsed, true)
    await insertMapping(registry, { kind: 'organization', id: organization_id }, fields, 2)
    await insertMapping(registry, { kind: 'organization', id: top }, fields, 3)
    assert.deepEqual([await countOf(one), await countOf(other)], [3, 3])
    await deleteMapping(registry, own, made.id, 4)
    assert.deepEqual([await countOf(one), await countOf(other)], [2, 2])
  })
})
