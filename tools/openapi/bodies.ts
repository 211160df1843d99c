/** POST and PUT take the whole schedule. */
const schedule = {
  installation_id: 42,
  active: false,
  topic: '2042/set/lamp/hall',
  value: 1,
  minute: '30',
  hour: '6',
  day_of_week: '1,2,3,4,5'
}

/**
 * Examples of request bodies, by the name of their schema. People send them as they are, to see
 * what happens, so none of them does harm: none opens a door, moves or disables something, or sets
 * a password that others know. A new thing does nothing until somebody turns it on.
 */
export const bodyExamples: Readonly<Record<string, unknown>> = {
  NewSamples: [{ topic: 'obj/temperature/hall', value: 21.5 }],
  TopicFilters: ['obj/temperature/+', 'obj/door/front'],

  NewInstallation: {
    name: 'Town hall',
    notes: 'The key is at the reception',
    timezone: 'Europe/Stockholm',
    meta: { building: 'A' }
  },
  InstallationUpdate: { notes: 'The key is at the reception' },
  NewOrganization: { name: 'Berg AB', email: 'office@example.com', notes: 'Since 2026' },
  OrganizationUpdate: { notes: 'Since 2026' },

  NewUser: {
    email: 'anna@example.com',
    first_name: 'Anna',
    last_name: 'Berg',
    role: 3,
    organisations: [3],
    address: { address: 'Storgatan 1', city: 'Linköping', country: 'Sweden', zip: '58330' },
    mobile: '+46701234567'
  },
  UserUpdate: { note: 'Works on Mondays' },
  // The platform refuses this password, because it is one of the most common ones.
  NewPassword: { password: 'password' },
  PasswordChange: { current_password: 'password', new_password: 'password' },
  PasswordSet: { current_password: 'password', new_password: 'password' },
  NewToken: {
    name: 'Dashboard',
    session_timeout: 86_400,
    permissions: ['installation/list/assigned', 'status/read/assigned']
  },
  // An ordinary credential, for an edge client.
  NewGatewayCredentials: { mount: null },
  NewRole: { name: 'Caretaker', priority: 10, permissions: { 'status/read/assigned': true } },
  RoleUpdate: { name: 'Caretaker' },
  NewRegistrationPolicy: { email_pattern: '*@example.com', role_id: 3, organization_id: 3 },
  RegistrationPolicyUpdate: { email_pattern: '*@example.com' },

  // No board was ever changed at this time, so this is refused with 409.
  BoardUpdate: {
    plots: [{ title: 'Heating', topics: ['obj/indoor', 'obj/outdoor'], span: 86_400 }],
    updated: 1
  },
  NewMapping: {
    name: 'Plugs',
    filter: 'dev/tele/+/SENSOR',
    values: [
      {
        ...{ path: 'ENERGY.Power', topic: 'obj/{3}/power', unit: 'W' },
        timestamp: { path: 'Time', format: 'iso' }
      }
    ]
  },
  MappingUpdate: { active: false },
  MappingTry: {
    topic: 'dev/tele/plug/SENSOR',
    payload: '{"Time": "2026-11-17T12:00:00", "ENERGY": {"Power": 25}}'
  },
  NewCertificate: { name: 'Gateway in the cellar', days: 365 },
  RegisteredCertificate: {
    name: 'Heat pump',
    certificate: '-----BEGIN CERTIFICATE-----\nMII...\n-----END CERTIFICATE-----\n',
    mount: { prefix: 'pump' }
  },
  NewRule: {
    name: 'Freezer too warm',
    severity: 'critical',
    on: { type: 'temperature', meta: { room: 'freezer' } },
    when: { any: [{ above: -15 }, { silent_for: '1h' }] },
    for: '10m',
    hysteresis: 1,
    message: '{{.payload.topic}}: {{.payload.value}} °C'
  },
  RuleUpdate: { active: false },
  RuleTry: {
    rule: { on: { topics: ['obj/indoor'] }, when: { above: 25 }, for: '10m' },
    from: 1_795_000_000,
    to: 1_795_086_400
  },
  Acknowledgement: { note: 'I am on my way' },
  NewCommand: { topic: 'set/obj/hall/lamp', payload: { value: 1 }, timeout: 2 },
  NewSchedule: schedule,
  ScheduleUpdate: schedule,
  NewBlacklistEntry: {
    topic: '2042/obj/test/#',
    mode: 'ignore',
    enabled: false,
    reason: 'Values of a test'
  },
  BlacklistEntryUpdate: { reason: 'Values of a test' },
  QuotaUpdate: { messages_per_second: 2000, topics: 20_000 },

  NewMessage: { name: 'Too cold', text: '{{.installation.Name}}: {{.payload.value}} °C' },
  MessageUpdate: { name: 'Too cold' },
  NewOutput: {
    name: 'Mail to Anna',
    notification_message_id: 4,
    notification_output_executor_id: 6,
    config: { recipients: 'anna@example.com' }
  },
  OutputUpdate: { name: 'Mail to Anna' },
  NewExecutor: { name: 'Mail', config: { url: 'https://example.com/send' } },
  ExecutorUpdate: { name: 'Mail' }
}

/** Examples of bodies that are not JSON, by their media type. */
export const fileExamples: Readonly<Record<string, string>> = {
  'text/csv': 'timestamp,topic,value,msg\n1767225600.25,obj/temperature/hall,21.5,\n',
  'application/x-ndjson':
    '{"timestamp":1767225600.25,"topic":"obj/temperature/hall","value":21.5,"msg":""}\n'
}
