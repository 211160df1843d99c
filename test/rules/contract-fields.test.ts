import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withPlatform } from '../support/scenario.ts'

type Schema = {
  $ref?: string
  anyOf?: Schema[]
  type?: string
  properties?: Record<string, Schema>
  items?: Schema
  required?: string[]
  description?: string
}
type Operation = {
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

/** [contract: Resources and their fields] Which fields are required, and which are not. */
const resources = {
  ModelX: {
    required: ['installation_id', 'type', 'meta'],
    optional: ['id', 'protected_meta', 'created', 'updated'],
    requests: [
      'post /api/v2/functionx/{installation_id}',
      'put /api/v2/functionx/{installation_id}/{functionx_id}',
      'post /api/v2/devicex/{installation_id}',
      'put /api/v2/devicex/{installation_id}/{devicex_id}'
    ],
    answers: [
      'get /api/v2/functionx/{installation_id}',
      'post /api/v2/functionx/{installation_id}',
      'get /api/v2/functionx/{installation_id}/{functionx_id}',
      'put /api/v2/functionx/{installation_id}/{functionx_id}',
      'get /api/v2/devicex/{installation_id}',
      'post /api/v2/devicex/{installation_id}',
      'get /api/v2/devicex/{installation_id}/{devicex_id}',
      'put /api/v2/devicex/{installation_id}/{devicex_id}'
    ]
  },
  Schedule: {
    required: ['installation_id', 'active', 'topic', 'value'],
    optional: [
      ...['id', 'minute', 'hour', 'day_of_month', 'day_of_week', 'month', 'executor'],
      ...['created_at', 'updated_at']
    ],
    requests: [
      'post /api/v2/schedule/{installation_id}',
      'put /api/v2/schedule/{installation_id}/{schedule_id}'
    ],
    answers: [
      'get /api/v2/schedule/{installation_id}',
      'get /api/v2/schedule/{installation_id}/{schedule_id}',
      'put /api/v2/schedule/{installation_id}/{schedule_id}'
    ]
  },
  User: {
    required: ['email', 'first_name', 'last_name', 'role', 'organisations', 'address'],
    // Only an account that has an end has `expire_at`. [ADR-0032]
    optional: ['id', 'sms_login', 'mobile', 'note', 'meta', 'protected_meta', 'expire_at'],
    requests: ['post /api/v2/user'],
    answers: [
      'get /api/v2/user',
      'post /api/v2/user',
      'get /api/v2/user/{user_id}',
      'put /api/v2/user/{user_id}'
    ]
  },
  EdgeApp: {
    required: [
      ...['name', 'category', 'tags', 'short_description', 'description', 'publisher', 'public']
    ],
    optional: ['id', 'official', 'source_url', 'created', 'updated'],
    requests: ['post /api/v2/edge/app', 'put /api/v2/edge/app', 'put /api/v2/edge/app/{app_id}'],
    answers: [
      'get /api/v2/edge/app',
      'post /api/v2/edge/app',
      'put /api/v2/edge/app',
      'get /api/v2/edge/app/{app_id}'
    ]
  },
  EdgeAppVersion: {
    required: ['hash'],
    optional: ['name', 'timestamp'],
    requests: ['post /api/v2/edge/app/{app_id}/publish'],
    answers: ['get /api/v2/edge/app/{app_id}/version', 'post /api/v2/edge/app/{app_id}/publish']
  },
  Mobile: {
    required: ['device_id', 'firebase_token'],
    optional: [],
    requests: ['post /api/v2/mobile'],
    answers: []
  }
}

/** Fields that have no default, though the contract calls them optional. */
const needed: Record<string, string[]> = {
  // The path has no id.
  'put /api/v2/edge/app': ['id'],
  // To publish a version is to give it a name.
  'post /api/v2/edge/app/{app_id}/publish': ['name']
}

const address = ['address', 'city', 'country', 'zip']

const { platform } = withPlatform()

/** The named schemas of the description that was read last. */
let named: Record<string, Schema> = {}

/** The schema itself where the description has a reference to it. */
const read = (schema: Schema = {}): Schema => {
  if (schema.anyOf?.[0]) return read(schema.anyOf[0])
  return schema.$ref ? read(named[schema.$ref.split('/').at(-1) ?? '']) : schema
}

type Description = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const operations = async () => {
  const { json } = await platform().world.request('GET /docs/openapi.json')
  const { paths, components } = json as Description
  named = components.schemas
  return (name: string): Operation => {
    const [method = '', path = ''] = name.split(' ')
    const operation = paths[path]?.[method]
    assert(operation, name)
    return operation
  }
}
const contentOf = (content: Record<string, { schema: Schema }> = {}): Schema =>
  read(content['application/json']?.schema)
const sorted = (names: readonly string[] = []) => [...names].sort()

for (const [resource, { required, optional, requests, answers }] of Object.entries(resources)) {
  test(`${resource}: requests are described with the contract's required fields`, async () => {
    const operation = await operations()
    for (const name of requests) {
      const schema = contentOf(operation(name).requestBody?.content)
      assert.deepEqual(
        sorted(schema.required),
        sorted([...required, ...(needed[name] ?? [])]),
        name
      )
      const known = Object.keys(schema.properties ?? {})
      const wanted = [...required, ...optional].filter((field) => field !== 'timestamp')
      assert.deepEqual(
        wanted.filter((field) => !known.includes(field)),
        [],
        name
      )
    }
  })

  test(`${resource}: answers are described with the contract's required fields`, async () => {
    const operation = await operations()
    for (const name of answers) {
      const content = contentOf(operation(name).responses['200']?.content)
      const schema = content.items ? read(content.items) : content
      assert.deepEqual(
        sorted(Object.keys(schema.properties ?? {})),
        sorted([...required, ...optional]),
        name
      )
      const missing = required.filter((field) => !schema.required?.includes(field))
      assert.deepEqual(missing, [], name)
    }
  })
}

test('Address: all four fields are required everywhere', async () => {
  const operation = await operations()
  for (const name of [
    ...resources.User.requests,
    'post /api/v2/organization',
    'put /api/v2/organization/{organization_id}'
  ]) {
    const schema = contentOf(operation(name).requestBody?.content)
    assert.deepEqual(sorted(read(schema.properties?.['address']).required), address, name)
  }
  for (const name of [...resources.User.answers, 'get /api/v2/organization/{organization_id}']) {
    const content = contentOf(operation(name).responses['200']?.content)
    const schema = content.items ? read(content.items) : content
    assert.deepEqual(sorted(read(schema.properties?.['address']).required), address, name)
  }
})

test('EdgeApp: the publisher has an id, and may have a name', async () => {
  const operation = await operations()
  for (const name of resources.EdgeApp.requests) {
    const schema = contentOf(operation(name).requestBody?.content)
    assert.deepEqual(read(schema.properties?.['publisher']).required, ['id'], name)
  }
})

test('SearchResult: the required fields are described as required', async () => {
  const operation = await operations()
  const content = contentOf(operation('get /api/v3beta/search').responses['200']?.content)
  const required = read(content.properties?.['results']?.items).required ?? []
  for (const field of ['type', 'id', 'name', 'created']) assert(required.includes(field), field)
})

test('the description says what happens if a required field is missing', async () => {
  const operation = await operations()
  const f = (name: string, field: string, want: string) =>
    assert.equal(
      contentOf(operation(name).requestBody?.content).properties?.[field]?.description,
      want
    )
  f('post /api/v2/schedule/{installation_id}', 'active', 'missing: true')
  f('put /api/v2/schedule/{installation_id}/{schedule_id}', 'active', 'missing: kept')
  f('put /api/v2/edge/app/{app_id}', 'name', 'missing: kept')
  f('post /api/v2/edge/app', 'tags', 'missing: none')
})
