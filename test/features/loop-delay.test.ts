import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { MAX_SAMPLES } from '../../src/features/sample/samples.ts'
import { ThreadCalls } from '../../src/lib/thread-calls.ts'
import { SECOND, unixMs } from '../../src/lib/unix-time.ts'
import type { Caller } from '../support/caller-thread.ts'
import { startExecutor } from '../support/executor.ts'
import { ATTEMPTS, longestRound } from '../support/loop.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { rounds } from '../support/rounds.ts'
import { store } from '../support/samples.ts'

/** [ADR-0038] Whatever a caller requests, others wait no longer than this. */
const MOST_MS = 20

let platform: TestPlatform
const thread = new Worker(new URL('../support/caller-thread.ts', import.meta.url))
const caller = new ThreadCalls<Caller>(thread, { name: 'caller' })
let executor: Awaited<ReturnType<typeof startExecutor>>
before(async () => {
  const settings = { CARACAL_NOTIFY_PRIVATE_NETWORKS: '127.0.0.1' }
  platform = await startTestPlatform({ settings })
  executor = await startExecutor()
})
after(async () => {
  executor.stop()
  await caller.close()
  await platform.stop()
})

type Ask = { line: string; body?: unknown }
type Row = { what: string; prepare: () => Promise<(attempt: number) => Ask> }

const site = () => platform.world.site(['#'])
const long = (length: number) => 'x'.repeat(length)
/** As many keys as fit. */
const manyKeys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key ${i}`, 'value']))

const rows: Row[] = [
  {
    what: 'status of 20 000 topics',
    prepare: async () => {
      const { installation } = await site()
      const samples = Array.from({ length: 20_000 }, (_, i) => ({ topic: `obj/${i}`, msg: 'text' }))
      await store(platform, installation, samples)
      return () => ({ line: `GET /api/v2/status/${installation.id}` })
    }
  },
  {
    what: 'status with long messages',
    prepare: async () => {
      const { installation } = await site()
      const samples = Array.from({ length: 500 }, (_, i) => ({
        topic: `obj/${i}`,
        msg: long(60_000)
      }))
      await store(platform, installation, samples)
      return () => ({ line: `GET /api/v2/status/${installation.id}` })
    }
  },
  {
    what: 'deletion of the latest values of 20 000 topics',
    prepare: async () => {
      const sites = await Promise.all(ATTEMPTS.map(site))
      for (const { installation } of sites) {
        const topics = Array.from({ length: 20_000 }, (_, i) => `obj/room/sensor/${i}`)
        const samples = topics.flatMap((topic) =>
          [1000, 5000].map((at) => ({ topic, timestamp: unixMs(at), msg: long(at / 50) }))
        )
        await store(platform, installation, samples)
      }
      return (attempt) => {
        const id = sites[attempt - 1]?.installation.id
        return { line: `DELETE /api/v3beta/log/${id}?from=2&to=9&topics=obj/%23` }
      }
    }
  },
  {
    what: 'as many values as one request may have, of as many new topics',
    prepare: async () => {
      const sites = await Promise.all(ATTEMPTS.map(site))
      const body = Array.from({ length: MAX_SAMPLES }, (_, value) => {
        return { topic: `obj/room/${value}`, value, timestamp: 1_700_000_000 }
      })
      return (attempt) => {
        return { line: `POST /api/v3beta/sample/${sites[attempt - 1]?.installation.id}`, body }
      }
    }
  },
  {
    what: 'line protocol of 4 MB',
    prepare: async () => {
      const sites = await Promise.all(ATTEMPTS.map(site))
      const place = long(90)
      const line = (i: number) => `weather,place=${place}${i % 500} t=${i},w=3i ${i}000000\n`
      const body = Array.from({ length: 29_000 }, (_, i) => line(i)).join('')
      return (attempt) => {
        return { line: `POST /api/v2/write?bucket=${sites[attempt - 1]?.installation.id}`, body }
      }
    }
  },
  {
    what: 'line protocol with long texts',
    prepare: async () => {
      const { installation } = await site()
      const body = `m t="${'\\"'.repeat(130_000)}",f=1\n`.repeat(16)
      return () => ({ line: `POST /api/v2/write?bucket=${installation.id}`, body })
    }
  },
  {
    what: 'log v3 with 48 MB of messages',
    prepare: async () => {
      const { installation } = await site()
      await storeLong(installation, 800)
      return () => ({ line: `GET /api/v3beta/log/${installation.id}?from=0&limit=1000` })
    }
  },
  {
    what: 'log v3 with 100 000 short rows',
    prepare: async () => {
      const { installation } = await site()
      await storeShort(installation, 100_000)
      return () => ({ line: `GET /api/v3beta/log/${installation.id}?from=0&limit=100000` })
    }
  },
  {
    what: 'log v2 with 48 MB of messages',
    prepare: async () => {
      const { installation, user } = await site()
      await storeLong(installation, 800)
      const body = { type: 'x', meta: { topic_read: 'obj/a' } }
      await platform.world.request(`POST /api/v2/functionx/${installation.id}`, { as: user, body })
      return () => ({ line: `GET /api/v2/log/${installation.id}?from=0&limit=1000` })
    }
  },
  {
    what: 'an aggregation with 100 000 buckets',
    prepare: async () => {
      const { installation } = await site()
      await storeShort(installation, 100_000)
      const query = 'from=0&to=200000&limit=100000&aggr_method=max&aggr_interval=1s'
      return () => ({ line: `GET /api/v3beta/log/${installation.id}?${query}` })
    }
  },
  {
    what: 'functions: 10 000 of them',
    prepare: async () => {
      const { installation } = await site()
      await insertFunctions(installation.id, 10_000, '{"name":"function"}')
      return () => ({ line: `GET /api/v2/functionx/${installation.id}` })
    }
  },
  {
    what: 'functions with metadata at their bound, listed by a filter that none of them matches',
    prepare: async () => {
      const { installation } = await site()
      const meta = JSON.stringify({ ...manyKeys(1998), text: long(65_000), more: long(65_000) })
      await insertFunctions(installation.id, 100, meta)
      return () => ({ line: `GET /api/v2/functionx/${installation.id}?name=*other*` })
    }
  },
  {
    what: 'functions with metadata at their bound',
    prepare: async () => {
      const { installation } = await site()
      await insertFunctions(installation.id, 100, JSON.stringify({ text: long(250_000) }))
      return () => ({ line: `GET /api/v2/functionx/${installation.id}` })
    }
  },
  {
    what: 'a search among large objects',
    prepare: async () => {
      const { installation } = await site()
      await insertFunctions(installation.id, 100, JSON.stringify({ text: long(250_000) }))
      return () => ({ line: 'GET /api/v3beta/search?q=*&limit=1000' })
    }
  },
  {
    what: 'users with metadata at their bound',
    prepare: async () => {
      const { world, deps } = platform
      for (let i = 0; i < 100; i++) {
        const { id } = await world.user({ organizations: [1] })
        await deps.registry
          .insertInto('user_meta')
          .values({
            ...{ user_id: id, key: 'text', value: long(250_000), protected: 0 },
            ...{ key_folded: 'text', value_folded: long(250_000) }
          })
          .execute()
      }
      return () => ({ line: 'GET /api/v2/user' })
    }
  },
  {
    what: 'metadata of an installation at their bound',
    prepare: async () => {
      const { installation } = await site()
      const line = `PUT /api/v2/installation/${installation.id}`
      return (attempt) => ({ line, body: { meta: { ...manyKeys(1999), n: `${attempt}` } } })
    }
  },
  {
    what: 'metadata of a function at their bound',
    prepare: async () => {
      const { installation, user } = await site()
      const made = await platform.world.request(`POST /api/v2/functionx/${installation.id}`, {
        as: user,
        body: { type: 'x' }
      })
      const { id } = made.json as { id: number }
      const line = `PUT /api/v2/functionx/${installation.id}/${id}`
      return (attempt) => ({ line, body: { meta: { ...manyKeys(1999), n: `${attempt}` } } })
    }
  },
  {
    what: 'a role with 1 000 permissions',
    prepare: async () => {
      const { world } = platform
      const names = Array.from({ length: 1000 }, (_, i) => [`name/of/a/program/${i}`, true])
      return () => ({
        line: 'POST /api/v2/role',
        body: { name: world.unique('role'), priority: 1, permissions: Object.fromEntries(names) }
      })
    }
  },
  {
    what: '2 000 organizations',
    prepare: async () => {
      const parent = await platform.world.organization()
      for (let i = 0; i < 2000; i++) {
        if (i % 100 === 0) await moreIds()
        await platform.world.organization(parent)
      }
      return () => ({ line: 'GET /api/v2/organization' })
    }
  },
  {
    what: 'an organization that goes with 200 installations',
    prepare: async () => {
      const roots: number[] = []
      for (const _ of ATTEMPTS) {
        const root = await platform.world.organization()
        await moreIds()
        for (let n = 0; n < 200; n++) {
          await platform.world.installation({
            organization_id: await platform.world.organization(root)
          })
        }
        roots.push(root)
      }
      await platform.deps.directory.catchUp()
      return (attempt) => ({ line: `DELETE /api/v2/organization/${roots[attempt - 1]}?force=true` })
    }
  },
  {
    what: 'an installation with 2 000 users',
    prepare: async () => {
      const { installation } = await site()
      const users = [platform.world.admin.id]
      for (let i = 0; i < 2000; i++) {
        if (i % 100 === 0) await moreIds()
        users.push((await platform.world.user({ organizations: [1] })).id)
      }
      const line = `PUT /api/v2/installation/${installation.id}`
      return (attempt) => ({ line, body: { users: users.slice(attempt) } })
    }
  },
  {
    what: 'the blacklist when it is full',
    prepare: async () => {
      for (let i = 0; i < 1000 - ATTEMPTS.length; i++) {
        const body = { topic: `+/obj/${i}/#`, enabled: true }
        const as = platform.world.admin
        await platform.world.request('POST /api/v2/blacklist/topic', { as, body })
      }
      const line = 'POST /api/v2/blacklist/topic'
      return (attempt) => ({ line, body: { topic: `+/obj/last/${attempt}`, enabled: true } })
    }
  },
  {
    what: 'an import of bad lines',
    prepare: async () => {
      const { installation } = await site()
      const line = `POST /api/v3beta/log/${installation.id}/import`
      return () => ({ line, body: 'x\n'.repeat(90_000) })
    }
  },
  {
    what: 'an import of long lines',
    prepare: async () => {
      const { installation } = await site()
      const text = JSON.stringify({ timestamp: 1, topic: 'obj/a', value: 1, msg: long(60_000) })
      const line = `POST /api/v3beta/log/${installation.id}/import`
      return () => ({ line, body: `${text}\n`.repeat(300) })
    }
  },
  {
    what: 'an upload of 20 MiB',
    prepare: async () => {
      const { installation } = await site()
      const head = '--x\r\ncontent-disposition: form-data; name="f"; filename="a"\r\n\r\n'
      const body = `${head}${long(20 * 1024 * 1024)}\r\n--x--\r\n`
      return () => ({ line: `POST /api/v2/file/installation/${installation.id}`, body })
    }
  },
  {
    what: 'a message whose template is as long as it may be',
    prepare: async () => {
      const { installation } = await site()
      const text = '{{.payload.a}}'.repeat(32_768 / 14)
      const line = `POST /api/v2/notification/${installation.id}/message`
      return () => ({ line, body: { name: platform.world.unique('message'), text } })
    }
  },
  {
    what: 'a message that is tried with as large a payload as it may have',
    prepare: async () => {
      const { installation } = await site()
      const line = `POST /api/v2/notification/${installation.id}/message/try`
      const text = '{{range .payload.some}}{{.}}{{end}}{{len .payload.all}}'
      const zeros = (length: number) => Array.from({ length }, () => 0)
      // A longer `some` is refused, because it takes too long.
      const body = { text, payload: { some: zeros(1000), all: zeros(64_000) } }
      return () => ({ line, body })
    }
  },
  {
    what: 'a notification that prints as often as it may',
    prepare: async () => {
      const all = '.payload.all'
      const text = `{{range ${all}}}{{range $${all}}}{{.}}{{end}}{{end}}`
      const line = await notification(text)
      const list = Array.from({ length: 67 }, (_, i) => i)
      return () => ({ line, body: { all: list } })
    }
  },
  {
    what: 'a notification with as much text and payload as it may have',
    prepare: async () => {
      const line = await notification('{{.payload.text}}', { text: '{{.payload.text}}' })
      return () => ({ line, body: { text: '<'.repeat(60_000) } })
    }
  },
  {
    what: 'the description of the API',
    prepare: async () => () => ({ line: 'GET /docs/openapi.json' })
  },
  {
    what: '20 000 topics in the body of a request',
    prepare: async () => {
      const { installation } = await site()
      const body = Array.from({ length: 20_000 }, (_, i) => `obj/${i}`)
      return () => ({ line: `POST /api/v2/status/${installation.id}`, body })
    }
  }
]

/** As requests do before they make something. */
async function moreIds(): Promise<void> {
  await platform.deps.lineage.note()
  await platform.deps.lineage.ahead()
}

/** How to send a message of this text to an executor that takes everything. */
async function notification(text: string, config: object = {}): Promise<string> {
  const { world } = platform
  const { installation } = await site()
  const made = async (line: string, body: object) => {
    const answer = await world.request(line, { as: world.admin, body })
    assert.equal(answer.status, 200, answer.text)
    return (answer.json as { id: number }).id
  }
  const at = `/api/v2/notification/${installation.id}`
  const { organization_id } = installation
  const output = {
    name: 'To me',
    notification_message_id: await made(`POST ${at}/message`, { name: 'Alarm', text }),
    notification_output_executor_id: await made('POST /api/v2/admin/notification/executor', {
      ...{ name: 'Mail', type: 'smtp', organization_id, config: { url: executor.url } }
    }),
    config
  }
  return `POST ${at}/output/${await made(`POST ${at}/output`, output)}/send`
}

async function storeLong(installation: { id: number; client_id: number }, count: number) {
  for (let start = 0; start < count; start += 100) {
    const samples = Array.from({ length: 100 }, (_, i) => ({
      ...{ topic: 'obj/a', msg: long(60_000) },
      timestamp: unixMs((start + i) * SECOND)
    }))
    await store(platform, installation, samples)
  }
}

const storeShort = (installation: { id: number; client_id: number }, count: number) =>
  store(
    platform,
    installation,
    Array.from({ length: count }, (_, i) => ({ topic: 'obj/a', timestamp: unixMs(i * SECOND) }))
  )

async function insertFunctions(installation_id: number, count: number, meta: string) {
  const { registry } = platform.deps
  const fields = { kind: 'function', installation_id, type: 'x', type_folded: 'x', meta } as const
  const row = { ...fields, protected_meta: '{}', created: 1, updated: 1 }
  for (let i = 0; i < count; i += 100) {
    await registry
      .insertInto('modelx')
      .values(Array.from({ length: Math.min(100, count) }, () => row))
      .execute()
  }
}

for (const { what, prepare } of rows.slice(0, rounds(rows.length, 4))) {
  test(`${what}: no other request waits for more than ${MOST_MS} ms`, async (t) => {
    const askFor = await prepare()
    const asked = ATTEMPTS.map((attempt) => {
      const { body, line } = askFor(attempt)
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      return { line, body: Buffer.from(text ?? '') }
    })
    const longest = await longestRound(MOST_MS, (attempt) => send(asked[attempt - 1]))
    t.diagnostic(`${longest.toFixed(1)} ms`)
    assert(longest < MOST_MS, `${longest} ms`)
  })
}

/** From a thread of its own, so that only the work of the platform is measured. */
async function send({ line, body } = { line: '', body: new Uint8Array() }): Promise<void> {
  const [method = '', path = ''] = line.split(' ')
  const isForm = Buffer.from(body.subarray(0, 3)).toString() === '--x'
  const headers = {
    'x-api-key': platform.world.admin.token,
    ...(isForm && { 'content-type': 'multipart/form-data; boundary=x' })
  }
  const { status, last } = await caller.call('send', [
    { url: platform.url + path, method, headers, body }
  ])
  assert([200, 204].includes(status), last)
}
