import assert from 'node:assert/strict'
import { createProgram } from '../../src/cli/commands.ts'
import type { Exported } from '../../src/site/export.ts'
import type { Imported } from '../../src/site/import.ts'
import { eventually } from './eventually.ts'
import type { TestPlatform } from './platform.ts'
import type { Answer } from './world.ts'

type Env = Record<string, string>
type Row = { id: number; [name: string]: unknown }

/** Runs a command in this process; `ran` has what it printed with `--json`. */
export async function command(env: Env, args: readonly string[]) {
  let [out, err] = ['', '']
  const program = createProgram({
    env,
    stdin: process.stdin,
    out: {
      write: (text: string) => {
        out += text
      }
    },
    err: {
      write: (text: string) => {
        err += text
      }
    },
    openLog: () => Promise.reject(new Error('not needed'))
  })
  const code = await program.run([...args, '--json'])
  return { code, json: JSON.parse(out), err }
}

export async function exported(env: Env, id: number, file: string): Promise<Exported> {
  const { code, json } = await command(env, ['export', String(id), file])
  assert.equal(code, 0, JSON.stringify(json))
  return json
}

export async function imported(
  env: Env,
  file: string,
  options: readonly string[] = []
): Promise<Imported> {
  const { code, json } = await command(env, ['import', file, ...options])
  assert.equal(code, 0, JSON.stringify(json))
  return json
}

/** The error of an import that must fail. */
export async function refused(env: Env, file: string, options: readonly string[] = []) {
  const { code, json } = await command(env, ['import', file, ...options])
  assert.equal(code, 1, JSON.stringify(json))
  return String(json.error)
}

const MONTH_S = 30 * 86_400
const app_json = JSON.stringify({
  input: {
    which: { type: 'single_function_selector' },
    devices: { type: 'multi_device_selector' },
    output: { type: 'single_notification_output_selector' },
    note: { type: 'text' },
    each: { type: 'repeat', input_fields: { function: { type: 'single_function_selector' } } }
  }
})

/** An installation with at least one of everything that an installation can have. */
export async function fillSite(
  { world, deps, url }: TestPlatform,
  {
    organization_id,
    rows = 2000,
    objects = 105
  }: { organization_id: number; rows?: number; objects?: number }
): Promise<{ id: number; client_id: number }> {
  const as = world.admin
  const call = async (line: string, body?: unknown) => {
    const answer = await world.request(line, { as, ...(body !== undefined && { body }) })
    assert.equal(answer.status, 200, `${line}: ${answer.text}`)
    return answer.json as Row
  }
  const form = async (
    path: string,
    parts: Record<string, string>,
    names: Record<string, string>
  ) => {
    const body = new FormData()
    for (const [name, text] of Object.entries(parts)) {
      body.append(name, new Blob([text], { type: 'text/plain' }), names[name] ?? name)
    }
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'x-api-key': as.token },
      body
    })
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return JSON.parse(text)
  }
  const { id, client_id } = (await call('POST /api/v2/installation', {
    name: 'Häuschen "am" See',
    organization_id,
    notes: 'two\nlines',
    timezone: 'Europe/Stockholm',
    meta: { color: 'grün', __proto: 'x' },
    protected_meta: { secret: 'hidden' }
  })) as Row & { client_id: number }
  await deps.registry
    .updateTable('installations')
    .set({ capabilities: '["schedule"]' })
    .where('id', '=', id)
    .execute()
  await call(`PUT /api/v2/installation/${id}/quota`, { topics: 500, history_days: 9000 })
  const parent = await call(`POST /api/v2/devicex/${id}`, { type: 'hub', meta: { name: 'hub' } })
  const device = await call(`POST /api/v2/devicex/${id}`, {
    type: 'sensor',
    meta: { name: 'sensor', device_id: String(parent.id) }
  })
  // The first one refers to one that comes after it.
  await call(`PUT /api/v2/devicex/${id}/${parent.id}`, {
    type: 'hub',
    meta: { name: 'hub', device_id: String(device.id) }
  })
  let last = device
  for (let i = 0; i < objects; i++) {
    last = await call(`POST /api/v2/functionx/${id}`, {
      type: `type_${i % 7}`,
      meta: {
        name: `function ${i}`,
        device_id: String(i % 2 ? device.id : parent.id),
        topic_read: `${i % 3 ? '' : `${client_id}/`}obj/room/${i % 20}`,
        topic_write: i === 5 ? '999999/set/obj/elsewhere' : 'set/obj/x'
      },
      protected_meta: i % 5 ? {} : { key: `p${i}` }
    })
  }
  for (const [topic, executor] of [
    [`${client_id}/set/obj/lamp`, 'server'],
    ['set/obj/lamp', 'gateway']
  ]) {
    await call(`POST /api/v2/schedule/${id}`, {
      ...{
        topic,
        executor,
        value: 1.5,
        active: executor === 'gateway',
        minute: '0-59/15',
        hour: '3'
      }
    })
  }
  await form(
    `/api/v2/file/installation/${id}`,
    { a: 'same text', b: 'same text' },
    { a: 'ä.txt', b: 'b' }
  )
  await form(`/api/v2/file/installation/${id}`, { c: 'x'.repeat(300_000) }, { c: 'large.bin' })
  const executor = await call('POST /api/v2/admin/notification/executor', {
    ...{ organization_id, name: 'SMS', type: 'http', secret: 'very secret' },
    config: { url: 'https://example.org/' }
  })
  const message = await call(`POST /api/v2/notification/${id}/message`, {
    name: 'm',
    text: 'Hi {{.x}}'
  })
  const output = await call(`POST /api/v2/notification/${id}/output`, {
    name: 'out',
    notification_message_id: message.id,
    notification_output_executor_id: executor.id,
    config: { to: '+46', topic: `${client_id}/obj/room/1` }
  })
  const app = await call('POST /api/v2/edge/app', {
    ...{
      name: 'Guide',
      publisher: { id: organization_id },
      category: 'c',
      tags: ['t'],
      public: false
    },
    ...{ short_description: 's', description: 'd' }
  })
  const { hash } = await form(
    `/api/v2/edge/app/${app.id}/version`,
    { app_json, app_lua: 'print(1)' },
    {}
  )
  await call(`POST /api/v2/edge/app/${app.id}/publish`, { name: '1.0', hash })
  await call(`POST /api/v2/edge/app/configured/${id}`, {
    ...{ app_id: app.id, version: '1.0', name: 'guide' },
    config: {
      which: last.id,
      devices: { [device.id]: 'a', [parent.id]: `${client_id}/obj/room/2` },
      output: String(output.id),
      note: `${client_id}/obj/room/3`,
      each: [{ function: last.id }],
      more: { deep: [`${client_id}/set/x`] }
    }
  })
  await call(`PUT /api/v2/board/${id}`, {
    plots: [{ title: 'p', topics: ['obj/room/1', `${client_id}/obj/room/2`], span: 3600 }]
  })
  await call(`POST /api/v2/mapping/${id}`, { make: 'tasmota', create_missing: true })
  await call(`POST /api/v2/mapping/${id}`, {
    ...{ name: 'Words', filter: 'dev/#', active: false },
    values: [{ topic: 'obj/{2}', table: { ON: 1 }, timestamp: { path: 't', format: 'ms' } }]
  })
  await call(`POST /api/v2/rule/${id}`, {
    ...{ name: 'Warm', active: false, severity: 'info', for: '10m', hysteresis: 1 },
    on: { topics: ['obj/room/1', `${client_id}/obj/room/2`] },
    when: { any: [{ above: 25 }, { all: [{ silent_for: '1h' }, { below: { meta: 'low' } }] }] },
    schedule: { days: [1, 2], from: '22:00', to: '06:00' },
    message: '{{.payload.value}} °C'
  })
  await call(`POST /api/v2/rule/${id}`, {
    ...{ on: { type: 'temperature', meta: { room: 'hall' } }, when: { outside: [2, 8] } }
  })
  await call('POST /api/v2/blacklist/topic', { topic: `${client_id}/obj/noise/#`, reason: 'noise' })
  const now = Math.floor(Date.now() / 1000)
  const lines = Array.from({ length: rows }, (_, i) => {
    // Many at the same time, over four months.
    const at = now - 3 * MONTH_S + Math.floor(i / 20) * Math.floor((3 * MONTH_S) / rows) * 15
    const msg = i % 10 === 0 ? `tab\t "ü" ${i}` : ''
    return JSON.stringify({
      timestamp: at + (i % 3) / 8,
      topic: `obj/room/${i % 20}`,
      value: i / 7,
      msg
    })
  })
  const again = lines.slice(0, 40).map((line) => line.replace('"value":', '"value":-'))
  const file = await world.request(`POST /api/v3beta/log/${id}/import`, {
    as,
    body: `${[...lines, ...again].join('\n')}\n`,
    headers: { 'content-type': 'application/x-ndjson' }
  })
  assert.equal((file.json as { imported: number }).imported, rows + 40, file.text)
  await world.publish(as, `${client_id}/obj/live`, { value: 42, msg: 'now' })
  // The log shows it when it has left the spool.
  await eventually(async () => {
    const log = await world.request(`GET /api/v3beta/log/${id}?from=0&limit=1`, { as })
    assert.match(log.text, /obj\/live/)
  })
  return { id, client_id }
}

/** Everything that the API shows of an installation, with ids and client ids made comparable. */
export async function siteAsShown({ world }: TestPlatform, id: number) {
  const as = world.admin
  const read = async (path: string): Promise<unknown> => {
    const answer: Answer = await world.request(`GET ${path}`, { as })
    assert.equal(answer.status, 200, `${path}: ${answer.text}`)
    return answer.json ?? answer.text
  }
  const installation = (await read(`/api/v2/installation/${id}`)) as Row & { client_id: number }
  const info = (await read(`/api/v2/installationinfo/${installation.client_id}`)) as Row
  const devices = (await read(`/api/v2/devicex/${id}`)) as Row[]
  const functions = (await read(`/api/v2/functionx/${id}`)) as Row[]
  const outputs = (await read(`/api/v2/notification/${id}/output`)) as Row[]
  const messages = (await read(`/api/v2/notification/${id}/message`)) as Row[]
  const files = (await read(`/api/v2/file/installation/${id}`)) as (Row & { hash: string })[]
  const shown = {
    installation: { ...installation, organization_id: 0, users: [] },
    capabilities: info['capabilities'],
    devices,
    functions,
    outputs: outputs.map((one) => ({ ...one, notification_output_executor_id: 0 })),
    messages,
    instances: ((await read(`/api/v2/edge/app/configured/${id}`)) as Row[]).map((one) => ({
      ...one,
      id: 0,
      app_id: 0
    })),
    schedules: ((await read(`/api/v2/schedule/${id}`)) as Row[]).map((one) => ({ ...one, id: 0 })),
    board: await read(`/api/v2/board/${id}`),
    mappings: ((await read(`/api/v2/mapping/${id}`)) as Row[]).map((one) => ({ ...one, id: 0 })),
    rules: ((await read(`/api/v2/rule/${id}`)) as Row[]).map((one) => ({ ...one, id: 0 })),
    blacklist: ((await read('/api/v2/blacklist/topic')) as (Row & { topic: string })[])
      .filter(({ topic }) => topic.startsWith(`${installation.client_id}/`))
      .map((one) => ({ ...one, id: 0 })),
    files: files.map((one) => ({ ...one, id: 0 })),
    contents: await Promise.all(files.map(({ hash }) => read(`/api/v2/file/download/${hash}`))),
    log: await read(`/api/v3beta/log/${id}/export?from=0&format=ndjson`),
    status: await read(`/api/v2/status/${id}`)
  }
  const ids = new Map<string, string>()
  for (const [kind, rows] of Object.entries({ devices, functions, outputs, messages })) {
    rows.forEach((row, i) => void ids.set(`${kind} ${row.id}`, `#${i}`))
  }
  return normal(shown, { installation, ids })
}

/** Replaces what must differ: ids of the installation and its objects. */
function normal(
  shown: Record<string, unknown>,
  {
    installation,
    ids
  }: { installation: { id: number; client_id: number }; ids: Map<string, string> }
): unknown {
  const idIn = (kind: string, id: unknown) => ids.get(`${kind} ${id}`) ?? `? ${id}`
  const walk = (value: unknown, key: string, path: string): unknown => {
    if (key === 'installation_id') return 'own'
    if (key === 'client_id') return 'own'
    if (key === 'device_id') return idIn('devices', value)
    if (key === 'notification_message_id') return idIn('messages', value)
    if (path.startsWith('.instances')) {
      if (key === 'which' || key === 'function') return idIn('functions', value)
      if (key === 'output') return idIn('outputs', value)
      if (key === 'devices') {
        const entries = Object.entries(value as object)
        return entries.map(([id, one]) => [idIn('devices', id), walk(one, '', path)]).sort()
      }
    }
    if (key === 'id') {
      const kind = /^\.(\w+)/.exec(path)?.[1] ?? ''
      return ids.get(`${kind} ${value}`) ?? 'own'
    }
    if (typeof value === 'string') return value.replaceAll(`${installation.client_id}/`, 'own/')
    if (Array.isArray(value)) return value.map((one, i) => walk(one, '', `${path}.${i}`))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, walk(one, name, `${path}.${name}`)])
    )
  }
  return walk(shown, '', '')
}
