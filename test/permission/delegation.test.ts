import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { catalogue, plainPermissions, scopedActions } from '../../src/permission/catalogue.ts'
import { mayHandOut } from '../../src/permission/delegation.ts'
import { Grants } from '../../src/permission/grants.ts'
import { holdsName, may, type Principal } from '../../src/permission/principal.ts'
import { rounds } from '../support/rounds.ts'

/** Installations 1 and 2 are in the caller's organizations and assigned, 5 is elsewhere. */
const installations = new Map(
  [
    { id: 1, organization_id: 1 },
    { id: 2, organization_id: 2 },
    { id: 3, organization_id: 2 },
    { id: 5, organization_id: 3 }
  ].map((one) => [one.id, { ...one, client_id: one.id + 1000 }])
)
const directory = { installation: (id: number) => installations.get(id) }

const holder = (grants: readonly string[], limit?: readonly string[]): Principal => ({
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
  organizationsBelow: new Set([1, 2]),
  organizationsAbove: new Set([1]),
  reachesTop: false,
  assigned: new Set([1, 2])
})
const role = (names: readonly string[]) => ({
  priority: 100,
  permissions: Object.fromEntries(names.map((name) => [name, true]))
})

/** Every concrete name that somebody in the same place may use. */
const opened = (somebody: Principal): Set<string> =>
  new Set([
    ...plainPermissions.filter((name) => holdsName(somebody, name)),
    ...scopedActions.flatMap((action) =>
      [...installations.values()]
        .filter((installation) => may(somebody, action, installation))
        .map(({ id }) => `${id} ${action}`)
    )
  ])

const name = fc.constantFrom(...catalogue)
const pattern = name.chain((name) =>
  fc
    .tuple(fc.array(fc.nat(3), { minLength: 5, maxLength: 5 }), fc.nat(5), fc.nat(3))
    .map(([wild, cut, isCut]) => {
      const levels = name.split('/').map((level, i) => (wild[i] === 0 ? '+' : level))
      return isCut === 0 ? [...levels.slice(0, cut), '#'].join('/') : levels.join('/')
    })
)
const prefixed = fc.tuple(fc.constantFrom(1, 3, 5, 9), pattern).map(([id, one]) => `${id}/${one}`)
/** Names as in a role, shortened, or without the last level. */
const odd = name.map((one) => one.split('/').slice(0, -1).join('/') || '+')
const set = fc.uniqueArray(fc.oneof(pattern, prefixed, odd), { maxLength: 5 })

test('a caller who holds every grant of a role may do everything that the role may do there', () => {
  fc.assert(
    fc.property(set, fc.option(set, { nil: undefined }), set, (own, limit, other) => {
      const caller = holder(own, limit)
      // Half of the roles are made of the caller's grants, so that enough of them are covered.
      for (const names of [other, own.slice(0, 2), own.map((one) => one.replace(/#$/, 'x'))]) {
        if (!mayHandOut(caller, directory, role(names))) continue
        const has = opened(caller)
        // All users include the assigned ones, for the grants and for the key in use.
        const listsSome = [own, limit ?? own].every((held) => {
          const grants = Grants.of(held)
          return grants.covers('user/list') || grants.covers('user/list/assigned')
        })
        for (const one of opened(holder(names))) {
          const isCovered = has.has(one) || (one === 'user/list/assigned' && listsSome)
          assert(isCovered, `${names} opens ${one}, which ${own} with ${limit} does not`)
        }
      }
    }),
    { numRuns: rounds(3000) }
  )
})

test('a role with plain names is covered exactly if each name is covered', () => {
  const names = fc.uniqueArray(name, { maxLength: 8 })
  fc.assert(
    fc.property(names, set, fc.option(set, { nil: undefined }), (other, own, limit) => {
      const caller = holder(own, limit)
      const lists = limit ? [own, limit] : [own]
      const isCovered = other.every((one) =>
        lists.every((list) => {
          const grants = Grants.of(list)
          const all = one.replace(/\/assigned$/, '/all')
          const isWider =
            one === 'user/list/assigned' ? grants.covers('user/list') : grants.covers(all)
          return grants.covers(one) || isWider
        })
      )
      assert.equal(mayHandOut(caller, directory, role(other)), isCovered)
    })
  )
})

test('a user with a greater priority cannot be changed, whatever the grants', () => {
  const caller = holder(['#'])
  assert.equal(mayHandOut(caller, directory, { ...role([]), priority: 101 }), false)
  assert.equal(mayHandOut(caller, directory, role(['#'])), true)
  assert.equal(mayHandOut(holder(['#'], ['user/#']), directory, role(['#'])), false)
})
