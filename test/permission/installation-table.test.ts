import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { InstallationTable } from '../../src/permission/installation-table.ts'
import { rounds } from '../support/rounds.ts'

const steps = fc.array(
  fc.record({
    id: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(1023, 1024, 1025, 5_000_000_000)),
    organization: fc.integer({ min: 0, max: 3 })
  }),
  { maxLength: 60 }
)

test('a table of installations is the same as a map', () => {
  fc.assert(
    fc.property(steps, (steps) => {
      const table = new InstallationTable()
      const model = new Map<number, number>()
      for (const { id, organization } of steps) {
        if (organization === 0) {
          table.delete(id)
          model.delete(id)
        } else {
          table.put(id, organization)
          model.set(id, organization)
        }
      }
      const byId = [...model].sort(([a], [b]) => a - b)
      assert.deepEqual(
        [...table.ids()].map((id) => [id, table.organizationOf(id)]),
        byId
      )
      assert.equal(table.size, model.size)
      assert.deepEqual([...table.organizations()].sort(), [...new Set(model.values())].sort())
      for (const organization of [1, 2, 3]) {
        assert.deepEqual(
          [...table.inOrganization(organization)].sort((a, b) => a - b),
          byId.filter(([, of]) => of === organization).map(([id]) => id)
        )
      }
    }),
    { numRuns: rounds(1000) }
  )
})

test('what is no id is in no organization', () => {
  const table = new InstallationTable()
  table.put(1, 7)
  for (const id of [0, -1, -1000, 2, 2 ** 53, Number.NaN]) {
    assert.equal(table.organizationOf(id), undefined)
    table.delete(id)
  }
  assert.equal(table.size, 1)
})
