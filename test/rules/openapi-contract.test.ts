import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

type Schema = {
  $ref?: string
  type?: string | string[]
  items?: Schema
  enum?: unknown[]
  default?: unknown
  description?: string
  maximum?: number
  maxLength?: number
  maxProperties?: number
  format?: string
  properties?: Record<string, Schema>
}
type Parameter = {
  name: string
  in: string
  description?: string
  required?: boolean
  schema: Schema
}
type Answer = { headers?: object; content?: Record<string, { schema?: Schema }> }
type Operation = {
  deprecated?: boolean
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> }
  responses: Record<string, Answer>
}
type Description = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, object> }
}

const file = new URL('../../src/features/system/openapi.json', import.meta.url)
const { paths, components }: Description = JSON.parse(readFileSync(file, 'utf8'))

/**
 * [contract: Endpoints] What is sent and returned. A parameter with ! is required, `body?` is an
 * optional body. Every answer has 401 and 500, unless `but` says otherwise.
 */
type Endpoint = { sent: string; returned: string; statuses?: number[]; but?: number[] }

const modelx = (kind: 'functionx' | 'devicex', name: string): Record<string, Endpoint> => {
  const list = `/api/v2/${kind}/{installation_id}`
  const one = `${list}/{${kind}_id}`
  const key = `${one}/meta/{meta_key}`
  return {
    [`GET ${list}`]: { sent: 'type metadata', returned: `${name}[]` },
    [`POST ${list}`]: { sent: 'silent body', returned: name },
    [`GET ${one}`]: { sent: '', returned: name },
    [`PUT ${one}`]: { sent: 'silent body', returned: name },
    [`DELETE ${one}`]: { sent: 'silent', returned: 'MessageResponse' },
    [`GET ${key}`]: { sent: '', returned: 'MetaX', statuses: [403, 404] },
    [`POST ${key}`]: { sent: 'silent body', returned: 'MetaX', statuses: [403, 404, 409] },
    [`PUT ${key}`]: {
      sent: 'silent create_missing body',
      returned: 'MetaX',
      statuses: [403, 404]
    },
    [`DELETE ${key}`]: { sent: 'silent', returned: 'MessageResponse', statuses: [403, 404] }
  }
}

const contract: Record<string, Endpoint> = {
  'POST /api/v2/auth': { sent: '', returned: 'Session' },
  'PUT /api/v2/auth': { sent: 'body?', returned: 'Session' },
  'DELETE /api/v2/auth': { sent: '', returned: 'nothing' },
  'POST /api/v2/auth/reset_password': { sent: 'body', returned: 'nothing', but: [401] },
  'PUT /api/v2/auth/reset_password': {
    sent: 'body',
    returned: 'nothing',
    statuses: [400],
    but: [401]
  },
  'GET /api/v2/log/{installation_id}': { sent: 'from to limit topics', returned: 'LogEntry[]' },
  'POST /api/v2/log/{installation_id}': { sent: 'from to limit body', returned: 'LogEntry[]' },
  'GET /api/v3beta/log/{installation_id}': {
    sent: 'from to limit offset order topics aggr_method aggr_interval',
    returned: 'LogPage'
  },
  'POST /api/v3beta/log/{installation_id}': {
    sent: 'from to limit offset order body',
    returned: 'LogPage'
  },
  'GET /api/v3beta/search': {
    sent: 'q! types limit offset metadata',
    returned: 'SearchPage',
    statuses: [400, 403, 499, 503]
  },
  'POST /api/v2/mobile': { sent: 'body', returned: 'MobileAnswer' },
  'GET /api/v2/mobile/{user_id}': { sent: '', returned: 'string[]' },
  ...modelx('functionx', 'Function'),
  ...modelx('devicex', 'Device'),
  'GET /api/v2/status/{installation_id}': { sent: 'topics', returned: 'Status[]' },
  'POST /api/v2/status/{installation_id}': { sent: 'body', returned: 'Status[]' },
  'GET /api/v2/installationinfo': {
    sent: 'organization_id assigned',
    returned: 'InstallationInfo[]'
  },
  'GET /api/v2/installationinfo/{client_id}': {
    sent: '',
    returned: 'InstallationInfo',
    statuses: [403]
  },
  'POST /api/v2/schedule/{installation_id}': { sent: 'silent body', returned: 'nothing' },
  'GET /api/v2/schedule/{installation_id}': { sent: 'executor', returned: 'Schedule[]' },
  'GET /api/v2/schedule/{installation_id}/{schedule_id}': { sent: '', returned: 'Schedule' },
  'PUT /api/v2/schedule/{installation_id}/{schedule_id}': { sent: 'body', returned: 'Schedule' },
  'DELETE /api/v2/schedule/{installation_id}/{schedule_id}': {
    sent: '',
    returned: 'MessageResponse'
  },
  'GET /api/v2/perimission': { sent: '', returned: 'Permissions' },
  'POST /api/v2/gateway/verify/{installation_id}': {
    sent: 'body?',
    returned: 'nothing',
    statuses: [204],
    but: [200]
  },
  'POST /api/v2/gateway/reset/{installation_id}': { sent: '', returned: 'MessageResponse' },
  'GET /api/v2/gateway/registration/policy': {
    sent: '',
    returned: 'GatewayRegistrationPolicy',
    statuses: [403]
  },
  'PUT /api/v2/gateway/registration/policy': {
    sent: 'body',
    returned: 'GatewayRegistrationPolicy',
    statuses: [403]
  },
  'POST /api/v2/user': { sent: 'body', returned: 'User', statuses: [400] },
  'GET /api/v2/user': { sent: 'metadata', returned: 'User[]' },
  'GET /api/v2/user/me': { sent: '', returned: 'User' },
  'DELETE /api/v2/user/me': { sent: '', returned: 'MessageResponse' },
  'GET /api/v2/user/{user_id}': { sent: '', returned: 'User' },
  'DELETE /api/v2/user/{user_id}': { sent: '', returned: 'MessageResponse' },
  'PUT /api/v2/user/password': { sent: 'body', returned: 'MessageResponse', statuses: [400] },
  'POST /api/v2/organization': { sent: 'body', returned: 'Organization', statuses: [400] },
  'GET /api/v2/organization/{organization_id}': { sent: '', returned: 'Organization' },
  'PUT /api/v2/organization/{organization_id}': {
    sent: 'body',
    returned: 'Organization',
    statuses: [400]
  },
  'GET /api/v2/edge/app': { sent: '', returned: 'EdgeApp[]' },
  'POST /api/v2/edge/app': { sent: 'body', returned: 'EdgeApp' },
  'PUT /api/v2/edge/app': { sent: 'body', returned: 'EdgeApp' },
  'GET /api/v2/edge/app/{app_id}': { sent: '', returned: 'EdgeApp' },
  'GET /api/v2/edge/app/{app_id}/download': { sent: 'version!', returned: 'string' },
  'GET /api/v2/edge/app/{app_id}/version': { sent: 'untagged', returned: 'EdgeAppVersion[]' },
  'POST /api/v2/edge/app/{app_id}/version': {
    sent: 'body',
    returned: 'EdgeAppHash',
    statuses: [204]
  },
  'POST /api/v2/edge/app/{app_id}/publish': { sent: 'body', returned: 'EdgeAppVersion' }
}

const find = (name: string): Operation => {
  const [method = '', path = ''] = name.split(' ')
  const operation = paths[path]?.[method.toLowerCase()]
  assert(operation, `${name} is not described`)
  return operation
}

const typeOf = (schema: Schema | undefined): string => {
  if (!schema) return 'nothing'
  if (schema.items) return `${typeOf(schema.items)}[]`
  return schema.$ref?.split('/').at(-1) ?? String(schema.type)
}

test('every endpoint of the contract takes the parameters and the body of the contract', () => {
  for (const [name, { sent }] of Object.entries(contract)) {
    const { parameters = [], requestBody } = find(name)
    for (const word of sent.split(' ').filter(Boolean)) {
      const field = word.replace(/[!?]$/, '')
      if (field === 'body') {
        assert.equal(requestBody?.required, !word.endsWith('?'), `${name}: body`)
        continue
      }
      const parameter = parameters.find((one) => one.in === 'query' && one.name === field)
      assert(parameter, `${name}: ${field}`)
      assert.equal(parameter.required === true, word.endsWith('!'), `${name}: ${field}`)
    }
    if (!sent.includes('body')) assert.equal(requestBody, undefined, name)
  }
})

test('every endpoint of the contract has its answer, and each of its statuses', () => {
  for (const [name, { returned, statuses = [], but = [] }] of Object.entries(contract)) {
    const { responses } = find(name)
    const good = responses['200'] ?? responses['204']
    const [media] = Object.values(good?.content ?? {})
    assert.equal(typeOf(media?.schema), returned, name)
    for (const status of [200, 401, 500, ...statuses]) {
      assert.equal(!but.includes(status), responses[status] !== undefined, `${name} ${status}`)
    }
  }
})

test('[contract: Auth] a wrong key for a new password is 400 without a body', () => {
  assert.equal(find('PUT /api/v2/auth/reset_password').responses['400']?.content, undefined)
})

test('[contract: Log] the old log is deprecated, and the values of parameters are listed', () => {
  assert.equal(find('GET /api/v2/log/{installation_id}').deprecated, true)
  assert.equal(find('POST /api/v2/log/{installation_id}').deprecated, true)
  const parameter = (name: string) => {
    const { parameters = [] } = find('GET /api/v3beta/log/{installation_id}')
    return parameters.find((one) => one.name === name)
  }
  assert.deepEqual(parameter('order')?.schema.enum, ['desc', 'asc'])
  for (const method of [
    ...['count', 'first', 'last', 'avg', 'mean', 'spread', 'max', 'min', 'sum', 'stddev'],
    ...['median', 'percentile(X)', 'integral(X)']
  ]) {
    assert(parameter('aggr_method')?.description?.includes(method), method)
  }
})

test('[contract: Authentication] the four schemes have the names of the contract', () => {
  const f = (name: string, wanted: object) => {
    const { description, ...scheme } = components.securitySchemes[name] as { description: string }
    assert.deepEqual(scheme, wanted)
    assert(description)
  }
  f('userAuth', { type: 'http', scheme: 'basic' })
  f('basicAuth', { type: 'http', scheme: 'basic' })
  f('gatewayAuth', { type: 'http', scheme: 'basic' })
  f('apiKeyAuth', { type: 'apiKey', in: 'header', name: 'X-API-Key' })
})

test('statuses that follow from the kind of a route are described where they occur', () => {
  const f = (name: string, yes: number[], no: number[]) => {
    const { responses } = find(name)
    for (const status of yes) assert(responses[status], `${name} ${status}`)
    for (const status of no) assert(!responses[status], `${name} ${status}`)
  }
  f('GET /api/v2/ping', [200], [401, 403, 408, 413, 429, 503, 507])
  f('GET /health/ready', [503], [401, 429, 507])
  f('GET /api/v2/user/me', [429, 503], [408, 413, 507])
  f('POST /api/v2/functionx/{installation_id}', [408, 413, 429, 503, 507], [])
  f('DELETE /api/v2/functionx/{installation_id}/{functionx_id}', [429, 503], [408, 413, 507])
  // It reads only, and a sign-in is written even when the disk is full.
  f('POST /api/v3beta/log/{installation_id}', [408, 413, 429, 503], [507])
  f('PUT /api/v2/auth', [401, 408, 413, 429, 503], [507])
  f('GET /api/v2/file/download/{hash}', [200, 304, 403], [])
  f('POST /api/v3beta/log/{installation_id}/import', [408, 409, 413, 415, 429, 503, 507], [])
  const { content, headers } = find('GET /api/v2/user/me').responses['429'] ?? {}
  assert(content)
  assert.deepEqual(headers, { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } })
  assert.equal(find('GET /api/v2/file/download/{hash}').responses['304']?.content, undefined)
})

test('bounds that handlers check, and defaults of new objects, are described', () => {
  const { schemas } = components
  const f = (schema: string, field: string, wanted: object) => {
    const described: object = schemas[schema]?.properties?.[field] ?? {}
    assert.deepEqual({ ...described, ...wanted }, described, `${schema}.${field}`)
  }
  f('NewPassword', 'password', { minLength: 8, maxLength: 256 })
  f('PasswordChange', 'new_password', { minLength: 8, maxLength: 256 })
  f('NewUser', 'sms_login', { default: false })
  f('NewInstallation', 'users', { default: [], maxItems: 10_000 })
  f('NewBlacklistEntry', 'mode', { default: 'block' })
  f('NewToken', 'length', { default: 43, minimum: 22, maximum: 256 })
  f('Mobile', 'device_id', { maxLength: 1024 })
  f('GatewayReport', 'capabilities', { maxItems: 100 })
  f('Address', 'city', { maxLength: 1000 })
  assert.equal(schemas['Meta']?.maxProperties, 2000)
  assert.equal(schemas['TopicFilters']?.items?.maxLength, 1024)
  const filter = find('GET /api/v2/user').parameters?.find(({ name }) => name === 'metadata')
  assert.equal(filter?.schema.maxProperties, 20)
})

test('whole numbers have 64 bits where 32 are not enough', () => {
  assert.equal(components.schemas['Function']?.properties?.['id']?.format, 'int64')
  const { parameters = [] } = find('GET /api/v3beta/search')
  const format = (name: string) => parameters.find((one) => one.name === name)?.schema.format
  assert.deepEqual([format('offset'), format('limit')], ['int64', undefined])
})
