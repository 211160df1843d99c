import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { levelsToRead } from '../../src/features/mapping/levels.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'

const every = ['mapping/list/all', 'mapping/create_delete/all', 'mapping/update/all']
const values = [{ topic: 'obj/x' }]

onRegistryMatrix('mapping levels', (engine) => {
  const { platform } = withPlatform(engine)

  describe('what is read from an external broker for mappings', () => {
    test('the first levels of filters, the default mount for wildcards, commands for a make', async () => {
      const { world, deps } = platform()
      const { installation, user } = await world.site(every)
      const map = async (body: object) => {
        const at = `POST /api/v2/mapping/${installation.id}`
        assert.equal((await world.request(at, { as: user, body })).status, 200)
      }
      await map({ filter: 'attic/+/x', values })
      await map({ filter: 'cellar/#', values, active: false })
      await map({ filter: '+/x', values })
      await map({ make: 'tasmota' })
      const { levels } = await levelsToRead(deps.registry)
      for (const level of ['attic', 'dev', 'set']) assert(levels.includes(level), level)
      assert(!levels.includes('cellar'))
    })

    test(
      'a tenant with hundreds of levels does not take the places of the others',
      slow,
      async () => {
        const { world, deps } = platform()
        const flood = await world.site(every)
        for (let i = 0; i < 150; i++) {
          const body = { filter: `level${i}/#`, values }
          const at = `POST /api/v2/mapping/${flood.installation.id}`
          assert.equal((await world.request(at, { as: flood.user, body })).status, 200)
        }
        const honest = await world.site(every)
        const body = { filter: 'greenhouse/#', values }
        await world.request(`POST /api/v2/mapping/${honest.installation.id}`, {
          as: honest.user,
          body
        })
        const { levels, left } = await levelsToRead(deps.registry)
        assert.equal(levels.length, 100)
        assert(left > 50)
        assert(levels.includes('greenhouse'), levels.join(' '))
      }
    )
  })
})
