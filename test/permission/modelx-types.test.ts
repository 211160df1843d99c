import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { topicMatches } from '../../src/lib/topic.ts'
import { Grants } from '../../src/permission/grants.ts'
import { allows, type ModelxVerb, typesAllowed } from '../../src/permission/modelx-types.ts'
import { may, type Principal } from '../../src/permission/principal.ts'
import { rounds } from '../support/rounds.ts'

const principal = (grants: readonly string[], limit?: readonly string[]): Principal => ({
  kind: 'user',
  owner: 'user:1',
  userId: 1,
  tokenId: undefined,
  priority: 100,
  roleId: 1,
  expireAt: 0,
  grants: Grants.of(grants),
  limit: limit && Grants.of(limit),
  mount: undefined,
  organizationIds: [1],
  organizationsBelow: new Set([1]),
  organizationsAbove: new Set([1]),
  reachesTop: true,
  assigned: new Set([7])
})
const at = (id: number, organization_id: number) => ({ id, client_id: id + 1000, organization_id })
const own = at(5, 1)
const foreign = at(6, 3)

test('typesAllowed', () => {
  const f = (
    grants: string[],
    installation: typeof own,
    want: 'all' | string[],
    limit?: string[]
  ) => {
    const types = typesAllowed(principal(grants, limit), 'devicex', 'view', installation)
    assert.deepEqual(types === 'all' ? types : [...types].sort(), want, grants.join())
  }
  f([], own, [])
  f(['devicex/list/all'], own, 'all')
  f(['devicex/list/all'], foreign, [])
  f(['device/zwave/view'], own, [])
  f(['device/zwave/view', 'installation/list/all'], own, ['zwave'])
  f(['device/zwave/view', 'device/lora/#', 'installation/list/all'], own, ['lora', 'zwave'])
  f(['device/zwave/edit', 'functionx/lora/view', 'installation/list/all'], own, [])
  f(['device/list/+', 'device/update/#', '+/view/+', 'installation/list/all'], own, [])
  f(['device/+/view', 'installation/list/all'], own, 'all')
  f(['device/#', 'installation/list/all'], own, 'all')
  f(['+/zwave/view', 'installation/list/all'], own, ['zwave'])
  f(['#'], own, 'all')
  f(['#'], foreign, [])
  f(['6/device/zwave/view'], foreign, ['zwave'])
  f(['6/devicex/list/all'], foreign, 'all')
  f(['6/#'], foreign, 'all')
  f(['6/#'], own, [])
  f(['#'], own, ['zwave'], ['device/zwave/view', 'installation/list/all'])
  f(['device/zwave/view', 'installation/list/all'], own, ['zwave'], ['devicex/#', 'installation/#'])
  f(['device/zwave/view', 'installation/list/all'], own, [], ['device/lora/view', 'installation/#'])
})

const verbs: ModelxVerb[] = ['view', 'add', 'edit', 'delete']
const actions = {
  view: 'list',
  add: 'create_delete',
  edit: 'update',
  delete: 'create_delete'
} as const

test('a type is allowed exactly if one of its names is granted', () => {
  const level = fc.constantFrom('+', 'functionx', 'device', 'a', 'b', 'list', 'view', 'edit', 'all')
  const pattern = fc
    .tuple(
      fc.constantFrom('', '5/', '6/'),
      fc.array(level, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('', '/#')
    )
    .map(([prefix, levels, end]) => prefix + levels.join('/') + end)
  const grants = fc.array(fc.oneof(pattern, fc.constant('installation/list/all')), { maxLength: 4 })
  fc.assert(
    fc.property(
      grants,
      fc.constantFrom(...verbs),
      fc.constantFrom('a', 'b', 'c'),
      fc.constantFrom(own, foreign, at(7, 3)),
      (names, verb, type, installation) => {
        const caller = principal(names)
        const name = `functionx/${type}/${verb}`
        const sees = may(caller, 'installation/list', installation)
        const want =
          may(caller, `functionx/${actions[verb]}`, installation) ||
          names.some(
            (grant) => topicMatches(grant, `${installation.id}/${name}`) && /^\d/.test(grant)
          ) ||
          (sees && names.some((grant) => !/^\d/.test(grant) && topicMatches(grant, name)))
        const types = typesAllowed(caller, 'functionx', verb, installation)
        assert.equal(allows(types, type), want)
      }
    ),
    { numRuns: rounds(2000) }
  )
})
