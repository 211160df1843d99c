import type { DocumentSchema } from './schema.ts'

/** One example for each field of the API, so that all examples tell the same story. */
const fields: Readonly<Record<string, unknown>> = {
  id: 7,
  installation_id: 42,
  installationID: 42,
  client_id: 2042,
  clientID: '2042',
  organization_id: 3,
  organizationID: 3,
  default_organization_id: 3,
  parent: 1,
  parent_organization: 1,
  role: 3,
  role_id: 3,
  user_id: 5,
  app_id: 11,
  function_id: '7',
  function_type: 'temperature',
  log_item_type: 'functionx',
  notification_message_id: 4,
  notification_output_executor_id: 6,
  organisations: [3],
  users: [5],
  assigned_installations: [42],
  name: 'Hall',
  'Installation.name': 'Town hall',
  'InstallationInfo.name': 'Town hall',
  'Organization.name': 'Berg AB',
  'OrganizationSimple.name': 'Berg AB',
  'Role.name': 'Caretaker',
  'Token.name': 'Dashboard',
  prefix: 'dev',
  'EdgeApp.name': 'Floor heating',
  'NewEdgeApp.name': 'Floor heating',
  'EdgeAppUpdate.name': 'Floor heating',
  'EdgeAppUpdateWithId.name': 'Floor heating',
  'EdgeAppVersion.name': '1.0.0',
  'NamedEdgeAppVersion.name': '1.0.0',
  'Message.name': 'Too cold',
  'Message.text': '{{.installation.Name}}: {{.payload.value}} °C',
  'Output.name': 'Mail to Anna',
  'Executor.name': 'Mail',
  'Executor.type': 'http',
  'Token.type': 'key',
  'File.name': 'plan.png',
  'MetaX.value': 'hall',
  'MetaXUpdate.value': 'hall',
  'Installation.id': 42,
  'InstallationInfo.id': 42,
  'Organization.id': 3,
  'OrganizationSimple.id': 3,
  'User.id': 5,
  'Role.id': 3,
  'EdgeApp.id': 11,
  'EdgePublisher.id': 3,
  'EdgePublisher.name': 'Berg AB',
  publisher: { id: 3, name: 'Berg AB' },
  children: [{ id: 8, name: 'Berg Service AB' }],
  'Session.nextstep': 'smslogin',
  'LogEntry.message': '',
  unit: '',
  icon: '',
  alarm_type: '',
  value_id: '',
  'Run.outcome': 'published',
  'Send.outcome': 'sent',
  'TraceEntry.id': '7',
  'TraceEntry.path': '/api/v2/installation/42',
  'TraceEntry.method': 'PUT',
  'TraceEntry.action': 'update',
  'TraceEntry.object_type': 'installation',
  'TraceEntry.object_id': 42,
  'TraceEntry.description': 'updated installation 42',
  'LedgerEntry.sender': '2042',
  'LedgerEntry.payload': '{"value": 21.5}',
  'PermissionExplanation.permission': 'functionx/list/all',
  'PermissionExplanation.granted': true,
  'PermissionExplanation.grant': 'functionx/#',
  'PermissionExplanation.reason': 'the role grants it',
  mqtt_username: '2042',
  mqtt_password: 'c2VjcmV0LXBhc3N3b3JkLW9mLWEtZ2F0ZXdheQ',
  mqtt_client_id: '2042',
  aam: 'https://example.com',
  imported: 1,
  errors: [],
  invalid: [],
  messages: [],
  missing: [],
  valid: true,
  last_used: 1767225600,
  last_accessed: 1767225600,
  used: 12,
  engines: { registry: { ok: true, detail: '' } },
  assigned: true,
  'LedgerEntry.reason': 'topic too long',
  'BlacklistEntry.reason': 'Values of a test',
  'BlacklistEntry.mode': 'ignore',
  type: 'temperature',
  description: 'Measures the temperature',
  short_description: 'Temperature',
  category: 'climate',
  notes: '',
  note: '',
  email: 'anna@example.com',
  email_pattern: '*@example.com',
  first_name: 'Anna',
  last_name: 'Berg',
  mobile: '+46701234567',
  phone: '+46701234567',
  address: 'Storgatan 1',
  city: 'Linköping',
  country: 'Sweden',
  zip: '58330',
  topic: '2042/obj/temperature/hall',
  value: 21.5,
  msg: '',
  message: 'Deleted',
  created: 1767225600,
  created_at: 1767225600,
  updated: 1767225600,
  updated_at: '1767225600',
  timestamp: 1767225600.25,
  last: 1767225600.25,
  span: 86_400,
  expire: 0,
  planned: 1767225600,
  ran: 1767225600,
  sent: 1767225600,
  runs: [1767225600],
  minute: '30',
  hour: '6',
  day_of_month: '*',
  day_of_week: '1,2,3,4,5',
  month: '*',
  executor: 'gateway',
  active: true,
  enabled: true,
  timezone: 'Europe/Stockholm',
  zone: 'Europe/Stockholm',
  token: 'c2VjcmV0LXRva2VuLW9mLXRoZS1zaWduLWlu',
  password: 'correct horse battery staple',
  current_password: 'correct horse battery staple',
  new_password: 'staple battery horse correct',
  challenge: '123456',
  firebase_token: 'fcm-token-of-the-phone',
  device_id: 'phone-of-anna',
  hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  mime: 'image/png',
  source_url: 'https://example.com/source',
  api: 'https://example.com',
  version: '1.0.0',
  meta: { name: 'Hall', room: 'hall' },
  metaMatches: { room: 'hall' },
  allMetadata: { name: 'Hall', room: 'hall' },
  protected_meta: { serial: 'A-1234' },
  permissions: { 'functionx/#': true },
  tags: ['climate'],
  'Rule.name': 'Freezer too warm',
  'OrganizationRule.name': 'Freezer too warm',
  severity: 'critical',
  on: { type: 'temperature', meta: { room: 'freezer' } },
  when: { any: [{ above: -15 }, { silent_for: '1h' }] },
  for: '10m',
  hysteresis: 1,
  'Rule.schedule': { days: [1, 2, 3, 4, 5], from: '08:00', to: '17:00' },
  'OrganizationRule.schedule': { days: [1, 2, 3, 4, 5], from: '08:00', to: '17:00' },
  ...Object.fromEntries(
    ['AlarmSettings', 'AlarmSettingsUpdate'].flatMap((name) => [
      [`${name}.severities`, ['warning', 'critical']],
      [`${name}.channels`, ['mail']],
      [`${name}.quiet`, { from: '22:00', to: '07:00' }],
      [`${name}.digest`, '08:00'],
      [`${name}.escalate`, { after: '15m', user_id: 5 }],
      [`${name}.webhook`, '']
    ])
  ),
  'PushSubscription.endpoint': 'https://push.example.org',
  'NewPushSubscription.endpoint': 'https://push.example.org/send/abc',
  'NewPushSubscription.keys': {
    p256dh:
      'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg'
  },
  'AlarmDelivery.channel': 'mail',
  'AlarmDelivery.to': 'me@example.org',
  'AlarmDelivery.result': 'sent',
  'Rule.message': '{{.payload.topic}}: {{.payload.value}} °C',
  'OrganizationRule.message': '{{.payload.topic}}: {{.payload.value}} °C',
  rule_id: 9,
  raised_at: 1_795_000_000.25,
  acknowledged_at: 1_795_000_060.5,
  cleared_at: 1_795_003_600.125,
  acknowledged_by: 5,
  'Acknowledgement.note': 'I am on my way',
  'Alarm.note': 'I am on my way',
  'Alarm.state': 'cleared',
  'CommandAnswer.topic': '2042/answer/X9SKXX_6IwxAvDjKocNC9w',
  'CommandAnswer.payload': '{"value":1}',
  'CommandAnswer.content_type': 'application/json',
  'CommandAnswer.payload_base64': 'AP/+AQ==',
  'Alarm.topic': '2042/obj/freezer',
  'Alarm.value': -14.5,
  'Alarm.message': '2042/obj/freezer: -14.5 °C',
  capabilities: ['zwave'],
  total: 1,
  count: 1,
  limit: 10_000,
  priority: 10,
  acc: 1,
  ip: '192.0.2.10',
  peerhost: '192.0.2.10',
  agent: 'curl/8.5.0',
  mqtt_broker: 'example.com:8883'
}

/** Examples of errors, by the name of their schema. */
export const errorExamples = {
  Error: { message: 'Unauthorized' },
  Refusal: {
    message: 'Forbidden',
    permissions: ['schedule/update/all', 'schedule/update/assigned'],
    object: { kind: 'installation', id: 12 }
  },
  SearchError: { error: 'q is required' }
}

type Schemas = Readonly<Record<string, DocumentSchema>>

/** An example of a schema. Fields that the platform ignores are left out. */
export function exampleOf(given: DocumentSchema, schemas: Schemas, name = '', above = ''): unknown {
  const schema = resolved(given, schemas)
  const own = nameOf(given)
  const { type, items, properties, required = [], additionalProperties } = schema
  if (schema.examples) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const known = fields[`${above}.${name}`] ?? fields[name]
  if (known !== undefined && fits(known, schema, schemas)) return known
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0], schemas, name, above)
  const [kind] = [type].flat()
  if (kind === 'array') return items ? [exampleOf(items, schemas, singular(name))] : []
  if (kind === 'integer' || kind === 'number') return Math.max(schema.minimum ?? 0, 0)
  if (kind === 'boolean') return false
  if (kind === 'string') return name || 'text'
  if (kind === 'null') return null
  const isIgnored = (property: DocumentSchema) => property.description?.startsWith('Ignored')
  const entries = Object.entries(properties ?? {}).filter(
    ([key, property]) => required.includes(key) || !isIgnored(property)
  )
  if (entries.length === 0 && typeof additionalProperties === 'object') {
    return { name: exampleOf(additionalProperties, schemas, 'value') }
  }
  return Object.fromEntries(
    entries.map(([key, property]) => [key, exampleOf(property, schemas, key, own)])
  )
}

/** The name of a schema in the description; empty if it has none. */
export const nameOf = (schema: DocumentSchema | undefined): string =>
  schema?.$ref?.split('/').at(-1) ?? ''

const singular = (name: string): string => name.replace(/s$/, '')

function resolved(schema: DocumentSchema, schemas: Schemas): DocumentSchema {
  const target = schemas[nameOf(schema)]
  return target
    ? { ...target, ...(schema.description && { description: schema.description }) }
    : schema
}

/** Fields of the same name can have another type elsewhere. */
function fits(value: unknown, given: DocumentSchema, schemas: Schemas): boolean {
  const schema = resolved(given, schemas)
  if (schema.anyOf) return schema.anyOf.some((one) => fits(value, one, schemas))
  const types = [schema.type].flat()
  if (Array.isArray(value)) {
    return (
      types.includes('array') &&
      value.every((one) => !schema.items || fits(one, schema.items, schemas))
    )
  }
  if (Number.isInteger(value)) return types.includes('integer') || types.includes('number')
  if (typeof value !== 'object') return types.includes(typeof value)
  const { additionalProperties: free, properties = {} } = schema
  return (
    types.includes('object') &&
    Object.entries(value ?? {}).every(([key, one]) => {
      const property = properties[key] ?? free
      return typeof property === 'object' && fits(one, property, schemas)
    })
  )
}
