import assert from 'node:assert/strict'
import { catalogue } from '../../src/permission/catalogue.ts'
import type { InstallationRecord } from '../../src/registry/installations.ts'
import { eventually } from '../support/eventually.ts'
import type { TestPlatform } from '../support/platform.ts'
import type { Account } from '../support/world.ts'

/** Everything but `#`, so that a member is no administrator. */
const grants = [...new Set(catalogue.map((name) => `${name.split('/')[0]}/#`))]

export const BROKER_KEY = 'key-of-the-external-broker'

const BOUNDARY = 'fuzz-boundary'
export const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`

export function multipart(parts: Readonly<Record<string, string>>): string {
  const texts = Object.entries(parts).map(
    ([name, text]) =>
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"; filename="f"\r\n\r\n${text}\r\n`
  )
  return `${texts.join('')}--${BOUNDARY}--\r\n`
}

/** One of everything that an organization can have. Ids have the names of path parameters. */
export type Tenant = {
  mark: string
  organization_id: number
  /** An organization below, for requests that change an organization. */
  child_id: number
  /** Its samples, objects and gateway stay; requests that change an installation get the other. */
  installation: InstallationRecord
  changing_id: number
  member: Account
  /** The client id with which the member has signed in at the external broker. */
  mqttClient: string
  /** A user whom requests may change. */
  user: Account
  gateway: { username: string; password: string }
  ids: Readonly<Record<string, number>>
  /** Administrators who were made for single requests. */
  administrators: number[]
  /** The only parts that a path names differently for the two owners of files. */
  files: { installation: number; organization: number; hash: string }
  mappings: { installation: number; organization: number }
  rules: { installation: number; organization: number }
  app: { hash: string; version: string }
  /** What only `send` and outputs of other requests use, so that nobody changes it. */
  links: { notification_message_id: number; notification_output_executor_id: number }
}

type Made = { id: number; token: string; hash: string }

/** Asks as the administrator, and again if there are too many requests at once. */
export async function ask(
  { world }: Pick<TestPlatform, 'world'>,
  line: string,
  body?: unknown,
  headers: Record<string, string> = {}
): Promise<Made> {
  const { status, json, text } = await eventually(async () => {
    const answer = await world.request(line, { as: world.admin, body, headers })
    assert(answer.status !== 429, answer.text)
    return answer
  })
  assert(status === 200, `${line}: ${status} ${text}`)
  return (Array.isArray(json) ? json[0] : json) as Made
}

/** A tenant whose every name has the mark in it. */
export async function makeTenant(
  platform: TestPlatform,
  mark: string,
  executorUrl: string
): Promise<Tenant> {
  const { world } = platform
  const post = (path: string, body?: unknown) => ask(platform, `POST /api/v2/${path}`, body)
  const name = mark
  const meta = { k: mark }
  const organization = await post('organization', { name: world.unique(mark), parent: 1, meta })
  const child = await post('organization', {
    name: world.unique(mark),
    parent: organization.id,
    meta
  })
  const organization_id = organization.id
  const installation = await world.installation({ organization_id, name, meta, notes: mark })
  const changing = await world.installation({ organization_id, name, meta })
  const person = { organizations: [organization_id], first_name: mark, last_name: mark, meta }
  const assigned = [changing.id]
  const member = await world.user({ ...person, grants, assigned, priority: 500 })
  const email = `${world.unique(mark)}@${mark}.example`
  const user = await world.user({ ...person, organizations: [child.id], email })
  const site = installation.id
  const gateway = (await post(`gateway/credentials/${site}`)) as unknown as {
    mqtt_username: string
    mqtt_password: string
  }
  const role = await post('role', { name: world.unique(mark), priority: 1, organization_id })
  const token = await post(`user/${user.id}/security/token`, { name })
  const functionx = await post(`functionx/${site}`, { type: 't', meta })
  const devicex = await post(`devicex/${site}`, { type: 't', meta })
  await ask(platform, `POST /api/v2/schedule/${site}`, { topic: mark, value: 1, active: false })
  const schedule = await ask(platform, `GET /api/v2/schedule/${site}`)
  const policy = await post('user/registration/policy', {
    email_pattern: `*@${world.unique(mark)}.example`,
    role_id: role.id,
    organization_id
  })
  const topic = `${installation.client_id}/obj/${mark}/blocked`
  const entry = await post('blacklist/topic', { topic, enabled: false, reason: mark })
  const message = await post(`notification/${site}/message`, { name, text: mark })
  const keptMessage = await post(`notification/${site}/message`, { name, text: mark })
  const config = { url: executorUrl }
  const executors = 'admin/notification/executor'
  const executor = await post(executors, { name, organization_id, config })
  const keptExecutor = await post(executors, { name, organization_id, config })
  const links = {
    notification_message_id: keptMessage.id,
    notification_output_executor_id: keptExecutor.id
  }
  const output = await post(`notification/${site}/output`, { name, ...links })
  const upload = (owner: string) =>
    ask(platform, `POST /api/v2/file/${owner}`, multipart({ file: mark }), {
      'content-type': MULTIPART
    })
  const installationFile = await upload(`installation/${site}`)
  const keptFile = await upload(`installation/${site}`)
  const organizationFile = await upload(`organization/${organization_id}`)
  const mapping = { name: mark, make: 'tasmota' }
  const installationMapping = await post(`mapping/${site}`, mapping)
  const organizationMapping = await post(`mapping/organization/${organization_id}`, mapping)
  const rule = { name: mark, on: { topics: ['obj/x'] }, when: { above: 25 }, message: mark }
  const installationRule = await post(`rule/${site}`, rule)
  const organizationRule = await post(`rule/organization/${organization_id}`, rule)
  const alarm = await platform.world.alarm(site, mark)
  const app = await makeApp(platform, mark, organization_id)
  const instance = await post(`edge/app/configured/${site}`, {
    app_id: app.id,
    version: '1.0',
    name
  })
  const samples = Array.from({ length: 50 }, (_, i) => ({
    timestamp: Math.floor(Date.now() / 1000) - i * 60,
    topic: `${installation.client_id}/obj/${mark}/${i % 5}`,
    value: i,
    msg: mark
  }))
  await ask(
    platform,
    `POST /api/v3beta/log/${site}/import`,
    samples.map((sample) => JSON.stringify(sample)).join('\n'),
    { 'content-type': 'application/x-ndjson' }
  )
  return {
    mark,
    organization_id,
    child_id: child.id,
    installation,
    changing_id: changing.id,
    member,
    mqttClient: await signInAtBroker(platform, member),
    user,
    gateway: { username: gateway.mqtt_username, password: gateway.mqtt_password },
    ids: {
      installation_id: site,
      client_id: installation.client_id,
      organization_id,
      publisher_id: organization_id,
      user_id: user.id,
      role_id: role.id,
      token_id: token.id,
      functionx_id: functionx.id,
      devicex_id: devicex.id,
      schedule_id: schedule.id,
      policy_id: policy.id,
      entry_id: entry.id,
      message_id: message.id,
      executor_id: executor.id,
      output_id: output.id,
      app_id: app.id,
      instance_id: instance.id,
      alarm_id: alarm
    },
    files: {
      installation: installationFile.id,
      organization: organizationFile.id,
      hash: keptFile.hash
    },
    rules: { installation: installationRule.id, organization: organizationRule.id },
    mappings: { installation: installationMapping.id, organization: organizationMapping.id },
    app: { hash: app.hash, version: '1.0' },
    links,
    administrators: []
  }
}

export async function removeTenant({ world }: TestPlatform, tenant: Tenant): Promise<void> {
  const remove = (path: string) => world.request(`DELETE /api/v2/${path}`, { as: world.admin })
  await remove(`organization/${tenant.organization_id}?force=true`)
  for (const id of tenant.administrators) await remove(`user/${id}`)
}

async function signInAtBroker({ world }: TestPlatform, { id, token }: Account): Promise<string> {
  const clientid = `client-${id}`
  const headers = { authorization: `Bearer ${BROKER_KEY}` }
  const body = { clientid, username: 'token', password: token }
  await world.request('POST /broker/mosquitto/user', { headers, body })
  return clientid
}

/** A private app with a version that has a name. */
async function makeApp(platform: TestPlatform, mark: string, publisher: number) {
  const { id } = await ask(platform, 'POST /api/v2/edge/app', {
    name: mark,
    publisher: { id: publisher },
    description: mark
  })
  const { hash } = await ask(
    platform,
    `POST /api/v2/edge/app/${id}/version`,
    multipart({ app_json: '{}', app_lua: `print("${mark}")` }),
    { 'content-type': MULTIPART }
  )
  await ask(platform, `POST /api/v2/edge/app/${id}/publish`, { name: '1.0', hash })
  return { id, hash }
}

/** Everything that the administrator sees of the tenant, apart from what every use changes. */
export async function pictureOf({ world }: TestPlatform, tenant: Tenant): Promise<string[]> {
  const { organization_id: organization, child_id, changing_id, ids } = tenant
  const site = ids['installation_id']
  const paths = [
    ...[organization, child_id].flatMap((id) => [`organization/${id}`, `organization/${id}/quota`]),
    ...[site, changing_id].flatMap((id) => [`installation/${id}`, `installation/${id}/quota`]),
    ...[`functionx/${site}`, `devicex/${site}`, `schedule/${site}`, `status/${site}`],
    ...[`user/${tenant.user.id}`, `user/${tenant.member.id}`, `role/${ids['role_id']}`],
    ...[`user/registration/policy/${ids['policy_id']}`, `blacklist/topic/${ids['entry_id']}`],
    ...[`mapping/${site}`, `mapping/organization/${organization}`],
    ...[`rule/${site}`, `rule/organization/${organization}`, `alarm/${site}`],
    ...[`notification/${site}/message`, `notification/${site}/output`],
    `admin/notification/executor/${ids['executor_id']}`,
    `notification/${site}/output/${ids['output_id']}/sends`,
    ...[`file/installation/${site}`, `file/organization/${organization}`],
    ...[`edge/app/${ids['app_id']}`, `edge/app/${ids['app_id']}/version`],
    `edge/app/configured/${site}`
  ]
  const seen = paths.map(async (path) => {
    const { status, text } = await world.request(`GET /api/v2/${path}`, { as: world.admin })
    return `${path}: ${status} ${text}`
  })
  return Promise.all(seen)
}
