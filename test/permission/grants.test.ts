import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { topicMatches } from '../../src/lib/topic.ts'
import { catalogue, firstRoles, scopedActions } from '../../src/permission/catalogue.ts'
import { Grants } from '../../src/permission/grants.ts'
import { may, type Principal, scopeOf } from '../../src/permission/principal.ts'

const grantsOf = (names: readonly string[]) =>
  new Grants(Object.fromEntries(names.map((name) => [name, true])))

const principal = (names: readonly string[], parts: Partial<Principal> = {}): Principal => ({
  kind: 'user',
  owner: 'user:1',
  userId: 1,
  tokenId: undefined,
  priority: 100,
  roleId: 1,
  expireAt: 0,
  grants: grantsOf(names),
  limit: undefined,
  mount: undefined,
  organizationIds: [1],
  organizationsBelow: new Set([1, 2]),
  organizationsAbove: new Set([1]),
  reachesTop: true,
  assigned: new Set([7]),
  ...parts
})
const at = (id: number, organization_id: number) => ({ id, client_id: id + 1000, organization_id })

test('may', () => {
  const f = (grants: string[], [id, organization]: [number, number], want: boolean) =>
    assert.equal(may(principal(grants), 'status/read', at(id, organization)), want, grants.join())

  f([], [7, 1], false)
  f(['#'], [5, 2], true)
  f(['#'], [5, 3], false)
  f(['#'], [7, 3], true)
  f(['status/read/all'], [5, 1], true)
  f(['status/read/all'], [7, 3], false)
  f(['status/read/assigned'], [7, 3], true)
  f(['status/read/assigned'], [5, 1], false)
  f(['status/+/all'], [5, 1], true)
  f(['+/read/#'], [7, 9], true)
  f(['log/read/all'], [5, 1], false)
  f(['5/status/read/all'], [5, 3], true)
  f(['5/#'], [5, 3], true)
  f(['5/#'], [6, 3], false)
  f(['5/log/#'], [5, 3], false)
  f(['+/status/read/all'], [5, 3], false)
})

test('a grant that is false allows nothing', () => {
  assert.equal(new Grants({ 'status/read/all': false }).covers('status/read/all'), false)
})

const pattern = fc.constantFrom(...catalogue).chain((name) =>
  fc
    .tuple(fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }), fc.nat(4), fc.boolean())
    .map(([wild, cut, isCut]) => {
      const levels = name.split('/').map((level, i) => (wild[i] ? '+' : level))
      return isCut ? [...levels.slice(0, cut), '#'].join('/') : levels.join('/')
    })
)

test('a broad grant equals the sum of the names it covers', () => {
  fc.assert(
    fc.property(pattern, fc.constantFrom(...catalogue), (broad, wanted) => {
      const sum = catalogue.filter((name) => topicMatches(broad, name))
      assert.equal(grantsOf([broad]).covers(wanted), grantsOf(sum).covers(wanted))
    })
  )
})

test('removing a grant never allows anything new', () => {
  const held = fc.uniqueArray(pattern, { maxLength: 6 })
  const action = fc.constantFrom(...scopedActions)
  fc.assert(
    fc.property(held, fc.nat(5), action, fc.nat(9), fc.nat(3), (names, drop, wanted, id, org) => {
      const fewer = names.filter((_, i) => i !== drop)
      if (may(principal(fewer), wanted, at(id, org))) {
        assert(may(principal(names), wanted, at(id, org)))
      }
    })
  )
})

test('the scope of a list has exactly the installations on which the action is allowed', () => {
  const prefixed = fc.tuple(fc.integer({ min: 1, max: 9 }), pattern).map(([id, p]) => `${id}/${p}`)
  const held = fc.uniqueArray(fc.oneof(pattern, prefixed), { maxLength: 6 })
  fc.assert(
    fc.property(held, fc.constantFrom(...scopedActions), (names, action) => {
      const caller = principal(names)
      const scope = scopeOf(caller, action)
      for (let id = 1; id < 10; id++) {
        for (let organization = 1; organization < 4; organization++) {
          const inScope =
            scope.organizationIds.includes(organization) || scope.installationIds.includes(id)
          assert.equal(inScope, may(caller, action, at(id, organization)))
        }
      }
    })
  )
})

test('the roles that come with the platform', () => {
  const names = (role: string) =>
    Object.keys(firstRoles.find(({ name }) => name === role)?.permissions ?? {})
  assert.deepEqual(names('Administrator'), ['#'])
  const manager = names('Manager')
  const user = names('User')
  assert(manager.includes('installation/create') && manager.includes('status/read/all'))
  assert(manager.includes('user/view/protected_meta/all'))
  for (const name of ['role/update', 'metrics/read', 'trace/list/system', 'status/read/assigned']) {
    assert(!manager.includes(name), name)
  }
  assert(user.includes('status/read/assigned') && user.includes('mobile/create'))
  for (const name of ['installation/view/protected_meta/assigned', 'status/read/all']) {
    assert(!user.includes(name), name)
  }
})
