import assert from 'node:assert/strict'
import { onEveryRegistry } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'

onEveryRegistry('user', (engine) => {
  const { scenario } = withPlatform(engine)

  scenario('GET user/me', {
    given: async (world) => {
      const installation = await world.installation()
      const organization = installation.organization_id
      const user = await world.user({ organizations: [organization], assigned: [installation.id] })
      return { user, installation, organization }
    },
    as: ({ user }) => user,
    request: 'GET /api/v2/user/me',
    expect: { status: 200 },
    and: ({ json }, { user, installation, organization }) => {
      const { role, ...rest } = json as Record<string, unknown>
      assert(Number.isInteger(role))
      assert.deepEqual(rest, {
        id: user.id,
        email: user.email,
        first_name: 'Test',
        last_name: 'User',
        sms_login: false,
        mobile: '',
        note: '',
        organisations: [organization],
        address: { address: '', city: '', country: '', zip: '' },
        meta: {},
        assigned_installations: [installation.id],
        expire_at: 0
      })
    }
  })

  scenario('GET user/me with the grant on protected metadata', {
    given: (world) => world.user({ grants: ['user/view/protected_meta/#'] }),
    as: (user) => user,
    request: 'GET /api/v2/user/me',
    expect: { status: 200 },
    and: ({ json }) => assert.deepEqual((json as Record<string, unknown>)['protected_meta'], {})
  })

  scenario('GET user/me without a token', {
    request: 'GET /api/v2/user/me',
    expect: { status: 401, body: { message: 'Unauthorized' } }
  })

  scenario('GET user/me with a made-up token', {
    as: () => ({ token: 'x'.repeat(43) }),
    request: 'GET /api/v2/user/me',
    expect: { status: 401, body: { message: 'Unauthorized' } }
  })
})
