import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { routeTable } from '../../tools/pages.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'

type Media = { schema?: { $ref?: string; type?: string }; example?: unknown }
type Answer = { description: string; content?: Record<string, Media> }
type Parameter = {
  name: string
  in: string
  style?: string
  schema: { type?: string; default?: unknown; maximum?: number }
}
type Operation = {
  operationId: string
  summary: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Answer>
}
type Description = {
  info: { version: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, { properties?: object }>; securitySchemes: object }
}

const { platform } = withPlatform()

/** Read once: while the linter works, the server in this process may close idle connections. */
let reading: Promise<Description> | undefined
const read = () => {
  reading ??= platform()
    .world.request('GET /docs/openapi.json')
    .then(({ json }) => json as Description)
  return reading
}

const operationsOf = ({ paths }: Description) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      name: `${method.toUpperCase()} ${path}`
    }))
  )
const find = (description: Description, name: string) => {
  const operation = operationsOf(description).find((one) => one.name === name)
  assert(operation, name)
  return operation
}

test(
  'the recommended rules of the linter find no error, and no example that does not fit',
  slow,
  async () => {
    const source = JSON.stringify(await read())
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source, config })
    // Paths such as edge/app/{app_id}/version and edge/app/configured/{id} are in the contract.
    const faults = problems.filter(({ ruleId }) => ruleId !== 'no-ambiguous-paths')
    assert.deepEqual(
      faults.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
      []
    )
  }
)

test('every operation has its own id, also those of user/me', async () => {
  const operations = operationsOf(await read())
  const ids = operations.map(({ operationId }) => operationId)
  assert.equal(new Set(ids).size, ids.length)
  for (const id of [
    ...['listFunctions', 'getFunction', 'createFunction', 'updateFunction', 'deleteFunction'],
    ...['listDevices', 'getStatus', 'getLog', 'getMe', 'deleteMe', 'getUser', 'deleteUser']
  ]) {
    assert(ids.includes(id), id)
  }
})

test('every operation has a summary and a tag that is described', async () => {
  const description = await read()
  const tags = new Map(description.tags.map((tag) => [tag.name, tag.description]))
  const used = operationsOf(description).map(({ name, summary, tags: [tag = ''] }) => {
    assert(summary, name)
    assert(tags.get(tag), `${name}: ${tag}`)
    return tag
  })
  assert.deepEqual([...tags.keys()].sort(), [...new Set(used)].sort())
})

test('objects of the contract are named schemas, and every JSON body refers to names', async () => {
  const description = await read()
  const { schemas } = description.components
  for (const name of [
    ...['Function', 'Device', 'Status', 'LogPage', 'LogEntry', 'Installation', 'InstallationInfo'],
    ...['Organization', 'User', 'Role', 'Schedule', 'EdgeApp', 'EdgeAppVersion', 'File', 'Error'],
    ...['MessageResponse', 'MetaX', 'SearchResult', 'SearchPage', 'Address', 'Permissions', 'Meta']
  ]) {
    assert(schemas[name], name)
  }
  const list = find(description, 'GET /api/v2/functionx/{installation_id}').responses['200']
  assert.deepEqual(list?.content?.['application/json']?.schema, {
    type: 'array',
    items: { $ref: '#/components/schemas/Function' }
  })
})

test('every request body and every answer with a body has an example', async () => {
  for (const { name, requestBody, responses } of operationsOf(await read())) {
    const good = Object.entries(responses).filter(([status]) => status < '300')
    for (const { content = {} } of [requestBody ?? {}, ...good.map(([, answer]) => answer)]) {
      for (const [type, media] of Object.entries(content)) {
        assert.notEqual(media.example, undefined, `${name}: ${type}`)
      }
    }
  }
})

test('errors are described with the schema Error, except refusals, those of search and line protocol, and those without a body', async () => {
  const description = await read()
  for (const { name, responses } of operationsOf(description)) {
    for (const [status, { content }] of Object.entries(responses)) {
      if (status < '400' || !content) continue
      const { schema } = content['application/json'] ?? {}
      const isSearch = name === 'GET /api/v3beta/search' && ['400', '503'].includes(status)
      if (name.startsWith('GET /health/') && status === '503') continue
      const isPartial =
        name === 'POST /api/v2/write' && ['400', '409', '429', '507'].includes(status)
      const usual = status === '403' ? 'Refusal' : 'Error'
      const wanted = isSearch ? 'SearchError' : isPartial ? 'WriteFault' : usual
      assert.equal(schema?.$ref, `#/components/schemas/${wanted}`, `${name} ${status}`)
    }
  }
  const f = (name: string, ...statuses: string[]) => {
    const { responses } = find(description, name)
    for (const status of statuses) assert(responses[status], `${name} ${status}`)
  }
  const key = '/api/v2/functionx/{installation_id}/{functionx_id}/meta/{meta_key}'
  f('POST /api/v2/auth', '200', '401', '500')
  f('PUT /api/v2/auth/reset_password', '200', '400')
  f(`GET ${key}`, '200', '401', '403', '404', '500')
  f(`POST ${key}`, '200', '401', '403', '404', '409', '500')
  f(`PUT ${key}`, '200', '401', '403', '404', '500')
  f(`DELETE ${key}`, '200', '401', '403', '404', '500')
  f('GET /api/v3beta/search', '200', '400', '401', '403', '499', '500', '503')
  f('GET /api/v2/installationinfo/{client_id}', '200', '401', '403', '500')
  f('POST /api/v2/gateway/verify/{installation_id}', '204', '401', '500')
  // What the new row belongs to can be deleted during the request.
  f('POST /api/v2/edge/app/{app_id}/version', '200', '204', '401', '404', '500')
  f('POST /api/v2/file/organization/{organization_id}', '200', '404')
})

test('every operation says which sign-in it takes', async () => {
  const description = await read()
  const open = operationsOf(description).filter(({ security }) => security.length === 0)
  assert.deepEqual(open.map(({ name }) => name).sort(), [
    'GET /api/v2/ping',
    'GET /docs',
    'GET /docs/openapi.json',
    'GET /health/live',
    'GET /health/ready',
    'POST /api/v2/auth/reset_password',
    'POST /api/v2/user/register'
  ])
  const f = (name: string, ...schemes: string[]) =>
    assert.deepEqual(find(description, name).security.flatMap(Object.keys), schemes, name)
  f('POST /api/v2/auth', 'userAuth')
  f('PUT /api/v2/auth', 'apiKeyAuth')
  f('PUT /api/v2/auth/reset_password', 'apiKeyAuth')
  f('POST /api/v2/gateway/verify/{installation_id}', 'gatewayAuth')
  f('GET /api/v2/mobile/{user_id}', 'systemAuth')
  f('POST /broker/auth', 'brokerAuth', 'brokerBasicAuth')
  f('GET /api/v2/user/me', ...['apiKeyAuth', 'bearerAuth', 'userAuth', 'basicAuth', 'gatewayAuth'])
})

test('user/me has paths of its own, and user_id is a number there', async () => {
  const description = await read()
  const own = find(description, 'GET /api/v2/user/me')
  assert.deepEqual(own.parameters, [])
  const [id] = find(description, 'GET /api/v2/user/{user_id}').parameters ?? []
  assert.equal(id?.schema.type, 'integer')
  assert(description.paths['/api/v2/user/me/meta/{meta_key}'])
})

test('metadata filters are an object whose keys are parameters', async () => {
  const description = await read()
  for (const name of [
    'GET /api/v2/functionx/{installation_id}',
    'GET /api/v2/user',
    'GET /api/v3beta/search'
  ]) {
    const filter = find(description, name).parameters?.find((one) => one.name === 'metadata')
    assert.deepEqual([filter?.in, filter?.style, filter?.schema.type], ['query', 'form', 'object'])
  }
})

test('parameters are described with their defaults and bounds', async () => {
  const description = await read()
  const f = (name: string, parameter: string, standard: unknown, most?: number) => {
    const found = find(description, name).parameters?.find((one) => one.name === parameter)
    assert.deepEqual([found?.schema.default, found?.schema.maximum], [standard, most], name)
  }
  f('GET /api/v2/log/{installation_id}', 'limit', 10_000, 10_000)
  f('GET /api/v3beta/log/{installation_id}', 'limit', 10_000, 100_000)
  f('GET /api/v3beta/log/{installation_id}', 'offset', 0, Number.MAX_SAFE_INTEGER)
  f('GET /api/v3beta/log/{installation_id}', 'order', 'desc')
  f('GET /api/v3beta/search', 'limit', 10_000, 10_000)
  f('POST /api/v2/functionx/{installation_id}', 'silent', false)
  const key = '/api/v2/devicex/{installation_id}/{devicex_id}/meta/{meta_key}'
  f(`PUT ${key}`, 'create_missing', false)
})

test('no answer has a default: the serializer would write it', async () => {
  for (const { method, path, schema } of await routeTable()) {
    assert.doesNotMatch(JSON.stringify(schema.response ?? {}), /"default":/, `${method} ${path}`)
  }
})

test('the version is that of the package', async () => {
  const { info, servers } = await read()
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  assert.equal(info.version, JSON.parse(file).version)
  assert.deepEqual(
    servers.map(({ url }) => url),
    ['/']
  )
})
