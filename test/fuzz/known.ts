import type { TestPlatform } from '../support/platform.ts'
import { newBrowser } from '../support/push-service.ts'
import type { Caller } from './callers.ts'
import type { Operation } from './description.ts'
import type { Dice } from './dice.ts'
import { ask, MULTIPART, multipart, type Tenant } from './tenant.ts'
import type { Known } from './values.ts'

export type Setting = {
  platform: TestPlatform
  operation: Operation
  dice: Dice
  caller: Caller
  executorUrl: string
  /** The ids of objects that were made for this request. */
  fresh: Record<string, string | number>
}

/** The ids of a path that belongs to the tenant. A change goes to what no other request needs. */
export function pathValues(tenant: Tenant, { method, path }: Operation, unique: string) {
  const values: Record<string, string | number> = { ...tenant.ids, meta_key: 'k' }
  const { files, changing_id, child_id } = tenant
  values['file_id'] = path.includes('/file/organization') ? files.organization : files.installation
  values['mapping_id'] = path.includes('/mapping/organization')
    ? tenant.mappings.organization
    : tenant.mappings.installation
  values['rule_id'] = path.includes('/rule/organization')
    ? tenant.rules.organization
    : tenant.rules.installation
  values['hash'] = files.hash
  if (method === 'GET') return values
  if (method === 'POST') values['meta_key'] = unique
  if (/^\/api\/v2\/(installation|gateway\/(reset|credentials))\/{/.test(path)) {
    values['installation_id'] = changing_id
  }
  if (path.startsWith('/api/v2/organization/{')) values['organization_id'] = child_id
  return values
}

const crons = ['*', '0', '1', '*/5', '1,2', '0-3']
const methods = ['mean', 'median', 'mean,min,max', 'sum', 'count', 'spread', 'first', 'last', 'p95']
const zones = ['UTC', 'Europe/Stockholm', 'Asia/Kathmandu', 'America/St_Johns']

/** Values of fields that must fit to what is stored. `tenant` owns the ids. */
export function knownFor(tenant: Tenant, setting: Setting): Known {
  const { operation, dice, caller, executorUrl, platform } = setting
  const { ids, child_id, links, app } = tenant
  const unique = () => platform.world.unique('fuzz')
  const fields: Record<string, () => unknown> = {
    installation_id: () => ids['installation_id'],
    organization_id: () => child_id,
    parent: () => tenant.organization_id,
    parent_organization: () => 0,
    default_organization_id: () => child_id,
    organisation: () => child_id,
    organisations: () => [child_id],
    users: () => [ids['user_id']],
    assigned_installations: () => [ids['installation_id']],
    role: () => ids['role_id'],
    role_id: () => ids['role_id'],
    app_id: () => ids['app_id'],
    publisher: () => ({ id: ids['publisher_id'] }),
    hash: () => setting.fresh['hash'] ?? app.hash,
    version: () => app.version,
    notification_message_id: () => links.notification_message_id,
    notification_output_executor_id: () => links.notification_output_executor_id,
    email_pattern: () => `*@${unique()}.example`,
    tz: () => dice.pick(zones),
    timezone: () => dice.pick(zones),
    minute: () => dice.pick(crons),
    hour: () => dice.pick(crons),
    day_of_month: () => dice.pick(crons),
    day_of_week: () => dice.pick(crons),
    month: () => dice.pick(crons),
    aggr_method: () => dice.pick(methods),
    aggr_interval: () => dice.pick(['1m', '1h', '1d', '30s', '1w', '1mo']),
    permission: () => dice.pick(['log/read', 'user/list', '#', 'functionx/view']),
    new_password: () => `${unique()} battery staple`,
    current_password: () => caller.password,
    order: () => dice.pick(['asc', 'desc']),
    expire_at: () => 0,
    expire: () => 0,
    sms_login: () => false,
    force_sms_login: () => false
  }
  const special: Record<string, () => unknown> = {
    'sendCommand topic': () => `set/${dice.pick(['x', 'y', 'räksmörgås'])}`,
    'sendCommand response_topic': () => dice.pick([null, 'state', 'obj/x']),
    'writeSamples topic': () => `obj/${dice.pick(['x', 'y', 'räksmörgås'])}`,
    'writeSamples timestamp': () => dice.pick([null, 0, 1_700_000_000.125]),
    'writeLines bucket': () => ids['installation_id'],
    'finishSignIn challenge': () => caller.challenge,
    'updateBoard plots': () => dice.pick([[], [{ title: 'x', topics: ['obj/x'], span: 3600 }]]),
    'updateBoard updated': () => null,
    ...alarmSettings('updateUserAlarmSettings', dice, executorUrl),
    ...alarmSettings('updateMyAlarmSettings', dice, executorUrl),
    'createUserPushSubscription endpoint': () => `https://93.184.216.34/${unique()}`,
    'createUserPushSubscription keys': () => newBrowser().keys,
    'createMyPushSubscription endpoint': () => `https://93.184.216.34/${unique()}`,
    'createMyPushSubscription keys': () => newBrowser().keys,
    ...mappings(['createMapping', 'createOrganizationMapping'], dice),
    ...mappings(['updateMapping', 'updateOrganizationMapping'], dice),
    ...rules(['createRule', 'createOrganizationRule'], dice),
    ...rules(['updateRule', 'updateOrganizationRule'], dice),
    'tryRule rule': () => ({ on: dice.pick(ruledOn), when: dice.pick(conditions) }),
    'tryMappings topic': () => dice.pick(['dev/x', 'dev/tele/plug/STATE', 'a']),
    'tryMappings mapping': () => null,
    'issueCertificate csr': () => null,
    'issueCertificate mount': () => dice.pick([null, { prefix: 'dev' }]),
    'registerCertificate mount': () => null,
    'deleteLog from': () => dice.pick([0, 1.5, 1_700_000_000]),
    'deleteLog topics': () => dice.pick([['obj/x'], ['#'], ['obj/+', 'x,y']]),
    'deleteLog to': () => dice.pick([1_700_000_000, 1e10]),
    'setMyPassword current_password': () => caller.password,
    'search q': () => dice.pick(['*', 'fuzz', 'ha*', 'hall kitchen', '"']),
    'updateEdgeApp id': () => ids['app_id'],
    'createUser email': () => `${unique()}@example.org`,
    'updateUser email': () => `${unique()}@example.org`,
    'updateMe email': () => `${unique()}@example.org`,
    'updateMe role': () => null,
    'updateMe organisations': () => null,
    'registerUser email': () => `${unique()}@example.org`,
    'requestPasswordReset email': () => tenant.user.email,
    'resetPassword password': () => `${unique()} battery staple`,
    'createRole name': unique,
    'updateRole name': unique,
    'createRole organization_id': () => tenant.organization_id,
    'updateRole organization_id': () => null,
    'createRole permissions': () => ({ 'status/read/all': true }),
    'updateRole permissions': () => ({ 'status/read/all': true }),
    'createMyToken permissions': () => ['status/read/all'],
    'createUserToken permissions': () => ['status/read/all'],
    'publishEdgeAppVersion name': unique,
    'createExecutor config': () => ({ url: executorUrl }),
    'updateExecutor config': () => ({ url: executorUrl }),
    'createExecutor organization_id': () => tenant.organization_id,
    'updateExecutor organization_id': () => tenant.organization_id,
    'updateInstallation organization_id': () => tenant.organization_id,
    'createBlacklistEntry topic': () => `${ids['client_id']}/obj/${unique()}`,
    'updateBlacklistEntry topic': () => `${ids['client_id']}/obj/${unique()}`,
    'createBlacklistEntry enabled': () => false,
    'updateBlacklistEntry enabled': () => false,
    'mosquittoSignIn username': () => 'token',
    'mosquittoSignIn password': () => tenant.member.token,
    'mosquittoSignIn clientid': () => tenant.mqttClient,
    'mosquittoAuthorize clientid': () => tenant.mqttClient,
    'emqxAuthorize clientid': () => tenant.mqttClient,
    'mosquittoAuthorize username': () => 'token',
    'mosquittoAuthorize topic': () => `${ids['client_id']}/obj/x`,
    'mosquittoAuthorize acc': () => dice.pick([1, 2, 4])
  }
  return {
    valueOf: (name) => (special[`${operation.id} ${name}`] ?? fields[name])?.(),
    isNeeded: (name) => `${operation.id} ${name}` in special
  }
}

/** A make alone, or a filter and values. */
const mappings = (ids: readonly string[], dice: Dice): Record<string, () => unknown> =>
  Object.fromEntries(
    ids.flatMap((id) => [
      [`${id} make`, () => dice.pick(['tasmota', 'shelly', 'ttn'])],
      [`${id} filter`, () => dice.pick(['', 'dev/#', '+/x'])],
      [`${id} values`, () => []]
    ])
  )

const ruledOn = [{ topics: ['obj/x', 'obj/+/y'] }, { type: 'switch', meta: { room: 'hall' } }]
const conditions = [{ above: 25 }, { any: [{ outside: [2, 8] }, { silent_for: '10m' }] }]

/** The next user would have to be somebody whom the caller sees, so there is none. */
const alarmSettings = (id: string, dice: Dice, webhook: string): Record<string, () => unknown> => ({
  [`${id} channels`]: () => dice.pick([[], ['mail'], ['mail', 'push', 'webhook']]),
  [`${id} quiet`]: () => dice.pick([null, { from: '22:00', to: '07:00' }]),
  [`${id} digest`]: () => dice.pick(['', '08:00']),
  [`${id} escalate`]: () => null,
  [`${id} webhook`]: () => webhook
})

const rules = (ids: readonly string[], dice: Dice): Record<string, () => unknown> =>
  Object.fromEntries(
    ids.flatMap((id) => [
      [`${id} on`, () => dice.pick(ruledOn)],
      [`${id} when`, () => dice.pick(conditions)],
      [`${id} for`, () => dice.pick(['', '90s', '3d'])],
      [`${id} hysteresis`, () => dice.pick([0, 0.5])],
      [`${id} schedule`, () => dice.pick([null, { days: [0, 6], from: '22:00', to: '06:00' }])],
      [`${id} message`, () => dice.pick(['', '{{.payload.value}}'])]
    ])
  )

/** Bodies that are not JSON. */
export function otherBody({ id, body }: Operation, unique: string, tenant: Tenant) {
  if (body === undefined || body.type === 'application/json') return undefined
  if (id === 'writeLines') return { type: body.type, text: `fuzz,tag=/ ${unique}=1i\n` }
  if (body.type !== 'multipart/form-data') {
    const topic = `${tenant.ids['client_id']}/obj/${unique}`
    const seconds = Math.floor(Date.now() / 1000)
    return { type: 'text/csv', text: `topic,timestamp,value,msg\n${topic},${seconds},1,x\n` }
  }
  const app = { app_json: '{}', app_lua: `print("${unique}")` }
  const parts: Record<string, string> = id === 'uploadEdgeAppVersion' ? app : { file: unique }
  return { type: MULTIPART, text: multipart(parts) }
}

/** Deletions, and the naming of a version, get objects that were made for them. */
export async function freshValues(
  tenant: Tenant,
  { platform, operation, caller }: Omit<Setting, 'fresh'>
): Promise<Record<string, string | number>> {
  const { ids, links } = tenant
  const site = ids['installation_id']
  const unique = platform.world.unique('fresh')
  const name = unique
  const post = (path: string, body?: unknown) => ask(platform, `POST /api/v2/${path}`, body)
  const own = tenant.organization_id
  const made: Record<string, () => Promise<Record<string, string | number>>> = {
    publishEdgeAppVersion: async () => {
      const body = multipart({ app_json: '{}', app_lua: `print("${unique}")` })
      const line = `POST /api/v2/edge/app/${ids['app_id']}/version`
      return { hash: (await ask(platform, line, body, { 'content-type': MULTIPART })).hash }
    },
    deleteFunction: async () => ({
      functionx_id: (await post(`functionx/${site}`, { type: 't' })).id
    }),
    deleteDevice: async () => ({ devicex_id: (await post(`devicex/${site}`, { type: 't' })).id }),
    deleteInstallation: async () => ({
      installation_id: (await post('installation', { name, organization_id: own })).id
    }),
    deleteSchedule: async () => {
      await ask(platform, `POST /api/v2/schedule/${site}`, { topic: 'x', value: 1, active: false })
      const { world } = platform
      const { json } = await world.request(`GET /api/v2/schedule/${site}`, { as: world.admin })
      return { schedule_id: Math.max(...(json as { id: number }[]).map(({ id }) => id)) }
    },
    deleteRole: async () => ({
      role_id: (await post('role', { name, priority: 1, organization_id: own })).id
    }),
    deleteUser: newUser,
    deleteUserToken: async () => {
      const { user_id } = await newUser()
      return { user_id, token_id: (await post(`user/${user_id}/security/token`, { name })).id }
    },
    deleteMyToken: async () => {
      const { headers } = caller
      const line = 'POST /api/v2/user/me/security/token'
      const { json } = await platform.world.request(line, { headers, body: { name } })
      return { token_id: (json as { id: number } | undefined)?.id ?? 0 }
    },
    deleteRegistrationPolicy: async () => ({
      policy_id: (
        await post('user/registration/policy', {
          email_pattern: `*@${name}.example`,
          role_id: ids['role_id'],
          organization_id: own
        })
      ).id
    }),
    deleteOrganization: async () => ({
      organization_id: (await post('organization', { name, parent: own })).id
    }),
    deleteEdgeApp: async () => ({
      app_id: (await post('edge/app', { name, publisher: { id: own } })).id
    }),
    deleteEdgeAppInstance: async () => ({
      instance_id: (
        await post(`edge/app/configured/${site}`, { app_id: ids['app_id'], version: '1.0', name })
      ).id
    }),
    deleteBlacklistEntry: async () => ({
      entry_id: (
        await post('blacklist/topic', { topic: `${ids['client_id']}/obj/${name}`, enabled: false })
      ).id
    }),
    revokeCertificate: async () => {
      if (platform.deps.hasMounts) {
        return { certificate_id: (await post(`certificate/${site}`, { name })).id }
      }
      return { certificate_id: 1 }
    },
    deleteMapping: async () => ({
      mapping_id: (await post(`mapping/${site}`, { make: 'ttn', name })).id
    }),
    deleteOrganizationMapping: async () => ({
      mapping_id: (await post(`mapping/organization/${own}`, { make: 'ttn', name })).id
    }),
    deleteRule: async () => ({
      rule_id: (await post(`rule/${site}`, { on: ruledOn[0], when: conditions[0] })).id
    }),
    deleteOrganizationRule: async () => ({
      rule_id: (await post(`rule/organization/${own}`, { on: ruledOn[1], when: conditions[1] })).id
    }),
    deleteMyPushSubscription: async () => {
      const { headers } = caller
      const line = 'POST /api/v2/user/me/alarm/push'
      const body = { endpoint: `https://93.184.216.34/${name}`, keys: newBrowser().keys }
      const { json } = await platform.world.request(line, { headers, body })
      return { subscription_id: (json as { id: number } | undefined)?.id ?? 0 }
    },
    deleteUserPushSubscription: async () => ({
      subscription_id: (
        await post(`user/${ids['user_id']}/alarm/push`, {
          ...{ endpoint: `https://93.184.216.34/${name}`, keys: newBrowser().keys }
        })
      ).id
    }),
    deleteMessage: async () => ({
      message_id: (await post(`notification/${site}/message`, { name, text: 'x' })).id
    }),
    deleteOutput: async () => ({
      output_id: (await post(`notification/${site}/output`, { name, ...links })).id
    }),
    deleteExecutor: async () => ({
      executor_id: (
        await post('admin/notification/executor', {
          name,
          organization_id: own,
          config: { url: 'http://127.0.0.1:9' }
        })
      ).id
    }),
    deleteInstallationFile: async () => ({ file_id: await file(`installation/${site}`) }),
    deleteOrganizationFile: async () => ({ file_id: await file(`organization/${own}`) })
  }
  const values = (await made[operation.id]?.()) ?? {}
  const { method, path } = operation
  const isMeta = path.endsWith('/meta/{meta_key}') && !path.includes('/me/')
  if (!isMeta || method !== 'DELETE') return values
  const owner = path.includes('{user_id}') ? await newUser() : {}
  const at = { ...pathValues(tenant, operation, unique), ...owner, meta_key: unique }
  const where = path.replace(/{(\w+)}/g, (_, name) => String(at[name as keyof typeof at]))
  await ask(platform, `POST ${where}`, { value: 'v' })
  return { ...owner, meta_key: unique }

  async function newUser() {
    const address = { address: '', city: '', country: '', zip: '' }
    const person = { email: `${name}@example.org`, first_name: '', last_name: '', address }
    const organisations = [own]
    return { user_id: (await post('user', { ...person, role: ids['role_id'], organisations })).id }
  }

  async function file(owner: string): Promise<number> {
    const headers = { 'content-type': MULTIPART }
    const body = multipart({ file: unique })
    return (await ask(platform, `POST /api/v2/file/${owner}`, body, headers)).id
  }
}
