import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, renameSync } from 'node:fs'
import { statfs, utimes } from 'node:fs/promises'
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { test } from 'node:test'
import { sql } from 'kysely'
import {
  claimContent,
  contentsToLookAt,
  releaseContents
} from '../../src/features/file/contents.ts'
import { sweepFiles } from '../../src/features/file/sweep.ts'
import { HOUR, unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform } from '../support/platform.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'
import type { World } from '../support/world.ts'

const type = { 'content-type': 'multipart/form-data; boundary=x' }
const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const end = '\r\n--x--\r\n'

async function withUser(world: World) {
  const { installation, user } = await world.site(['file/#'])
  return { user, at: `/api/v2/file/installation/${installation.id}` }
}

async function answerTo(sending: ClientRequest) {
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  return { status: response.statusCode, body: await json(response) }
}

onRegistryMatrix('limits of files', (engine) => {
  let ahead = 0
  const { platform } = withPlatform(engine, {
    clock: () => unixMs(Date.now() + ahead),
    settings: { CARACAL_FILES_QUOTA_MB: '1' }
  })
  const full = {
    status: 409,
    body: { message: 'this goes beyond the quota file_bytes of the installation, which is 1048576' }
  }
  const stored = (hash: string) =>
    existsSync(join(platform().dataDir, 'files', hash.slice(0, 2), hash.slice(2)))
  const incoming = () => readdirSync(join(platform().dataDir, 'files', 'incoming'))
  /** An upload that has sent this many bytes and is not finished. */
  const begin = (at: string, { token }: { token: string }, sent: string) => {
    const headers = { 'x-api-key': token, ...type }
    const sending = httpRequest(platform().url + at, { method: 'POST', headers })
    sending.on('error', () => undefined)
    sending.write(sent)
    return sending
  }

  test('a caller has four uploads at once in both APIs together', async () => {
    const { world } = platform()
    const { at, user } = await withUser(world)
    const sending = [at, at, `/lynx${at}`, `/lynx${at}`].map((path) => begin(path, user, head))
    await eventually(() => assert.equal(incoming().length, 4))
    for (const path of [at, `/lynx${at}`]) {
      const fifth = await world.request(`POST ${path}`, {
        as: user,
        headers: type,
        body: head + end
      })
      assert.deepEqual(
        [fifth.status, fifth.json, fifth.headers.get('retry-after')],
        [429, { message: 'Too many uploads at once: an account has at most 4 running' }, '30']
      )
    }
    for (const one of sending) {
      one.end(end)
      assert.equal((await answerTo(one)).status, 200)
    }
  })

  for (const [what, sent] of [
    ['a file', `${head}x`],
    ['what comes before the first part', 'x']
  ] as const) {
    test(`an upload that sends ${what} slowly for more than an hour is ended`, async () => {
      const { at, user } = await withUser(platform().world)
      const { callers } = platform().deps.uploading
      const sending = begin(at, user, sent)
      await eventually(() => assert.equal(callers.total, 1))
      ahead += HOUR - 60_000
      sending.write('x')
      ahead += 2 * 60_000
      sending.write('x')
      const closed = once(sending, 'close')
      const message = 'The upload takes too long'
      assert.deepEqual(await answerTo(sending), { status: 408, body: { message } })
      await closed
      assert.deepEqual([callers.total, incoming()], [0, []])
    })
  }

  test('an upload is refused as soon as it exceeds the quota', async () => {
    const { world, deps } = platform()
    const { at, user } = await withUser(world)
    const sending = begin(at, user, head + 'x'.repeat(2 ** 20 + 100))
    assert.deepEqual(await answerTo(sending), full)
    assert.deepEqual([deps.uploading.bytes.total, incoming()], [0, []])
    sending.destroy()
  })

  test('all uploads for an owner count together, also when a file is replaced', async () => {
    const { world, deps } = platform()
    const { at, user } = await withUser(world)
    const small = { as: user, headers: type, body: head + end }
    const [file] = (await world.request(`POST ${at}`, small)).json as { id: number }[]
    const first = begin(at, user, head + 'x'.repeat(600_000))
    await eventually(() => assert.equal(deps.uploading.bytes.total > 590_000, true))
    for (const path of [at, `${at}/${file?.id}`]) {
      const second = begin(path, user, head + 'x'.repeat(600_000))
      assert.deepEqual(await answerTo(second), full)
      second.destroy()
    }
    const other = await withUser(world)
    const elsewhere = begin(other.at, other.user, head + 'y'.repeat(600_000))
    for (const one of [first, elsewhere]) {
      one.end(end)
      assert.equal((await answerTo(one)).status, 200)
    }
    assert.equal(deps.uploading.bytes.total, 0)
    const third = begin(at, user, head + 'x'.repeat(600_000))
    assert.deepEqual(await answerTo(third), full)
    third.destroy()
  })

  test('a refused upload stores nothing', async () => {
    const { world, deps } = platform()
    const { at, user } = await withUser(world)
    const text = world.unique('x')
    const sending = begin(at, user, head + text)
    await eventually(() => assert.equal(deps.uploading.bytes.total > 0, true))
    // Meanwhile another node uses the rest of the quota.
    const row = { organization_id: null, hash: hashOf(''), name: 'x', mime: 'x/y' }
    const installation_id = Number(at.split('/').at(-1))
    await claimContent(deps.registry, row.hash, 0)
    await deps.registry
      .insertInto('files')
      .values({ ...row, installation_id, size: 2 ** 20, created: 0, updated: 0 })
      .execute()
    sending.end(end)
    assert.deepEqual(await answerTo(sending), full)
    assert.equal(stored(hashOf(text)), false)
  })

  test('a content is removed with its file, however new it is', async () => {
    const { world, deps } = platform()
    const { at, user } = await withUser(world)
    const text = world.unique('x')
    const body = head + text + end
    const [file] = (await world.request(`POST ${at}`, { as: user, headers: type, body })).json as {
      id: number
    }[]
    await sweepFiles(deps)
    assert.equal(stored(hashOf(text)), true)
    await world.request(`DELETE ${at}/${file?.id}`, { as: user })
    await sweepFiles(deps)
    assert.equal(stored(hashOf(text)), false)
  })

  test('a claim ends with its upload, and other claims stay', async () => {
    const { registry, clock } = platform().deps
    const now = clock()
    const f = async (claims: number[], released: number, isDue: boolean) => {
      const hash = hashOf(platform().world.unique('claim'))
      for (const at of claims) await claimContent(registry, hash, at)
      await releaseContents(registry, [hash], { claimed: released, now: now + 10 })
      const due = await contentsToLookAt(registry, now + 10, 1000)
      assert.equal(due.includes(hash), isDue, String(claims))
      const later = await contentsToLookAt(registry, now + 2 * HOUR, 100_000)
      assert.equal(later.includes(hash), true)
      await registry.deleteFrom('file_contents').where('hash', '=', hash).execute()
    }
    await f([now], now, true)
    await f([now - 2 * HOUR, now], now, true)
    await f([now, now + 1], now, false)
    await f([now, now + 1], now + 1, false)
    await f([now, now], now, false)
    await f([now + 1, now], now, false)
  })

  test('a part that was received long ago stays while its request may continue', async () => {
    const { deps } = platform()
    const half = await deps.files.receive(10)
    const age = (hours: number) =>
      utimes(half.path, new Date(), new Date(Date.now() - hours * HOUR))
    await age(23)
    await sweepFiles(deps)
    assert.deepEqual(incoming(), [basename(half.path)])
    await age(25)
    await sweepFiles(deps)
    assert.deepEqual(incoming(), [])
    await half.discard()
  })

  test(
    'an organization with more files than a statement has variables can be deleted',
    slow,
    async () => {
      const { world, deps } = platform()
      const organization = await world.organization()
      await deps.directory.catchUp()
      const numbers = sql`with recursive numbers(n) as
      (select 100000 union all select n + 1 from numbers where n < 170000)`
      const hash = sql`${sql.lit('0'.repeat(58))} || cast(n as text)`
      await sql`${numbers} insert into file_contents (hash) select ${hash} from numbers`.execute(
        deps.registry
      )
      await sql`${numbers} insert into files (organization_id, hash, name, mime, size, created, updated)
      select ${sql.lit(organization)}, ${hash}, 'x', 'x/y', 0, 0, 0 from numbers`.execute(
        deps.registry
      )
      const line = `DELETE /api/v2/organization/${organization}?force=true`
      const { status, text } = await world.request(line, { as: world.admin })
      assert.equal(status, 200, text)
      const { numDeletedRows } = await deps.registry
        .deleteFrom('file_contents')
        .where('look_at', '<=', deps.clock())
        .where('hash', 'like', `${'0'.repeat(58)}%`)
        .executeTakeFirstOrThrow()
      assert.equal(Number(numDeletedRows), 70_001)
    }
  )
})

test('uploads stop while there is still room for samples', slow, async () => {
  const { bavail, bsize } = await statfs(tmpdir())
  const reserve = Math.floor((bavail * bsize) / 2 ** 20 / 1.5)
  const platform = await startTestPlatform({
    settings: { CARACAL_DISK_RESERVE_MB: String(reserve) }
  })
  try {
    const { at, user } = await withUser(platform.world)
    const sent = { as: user, headers: type, body: `${head}x${end}` }
    const { status, json: answer } = await platform.world.request(`POST ${at}`, sent)
    const message = 'The disk is full up to its reserve'
    assert.deepEqual([status, answer], [507, { message }])
    assert.equal(platform.deps.hasRoom(), true)
  } finally {
    await platform.stop()
  }
})

test('an answer that ends after the stop has begun does not delay the stop', {
  ...slow,
  timeout: 30_000
}, async (t) => {
  const platform = await startTestPlatform()
  const { user, at } = await withUser(platform.world)
  const content = 'x'.repeat(8 * 1024 * 1024)
  const headers = { 'x-api-key': user.token, ...type }
  const up = await fetch(platform.url + at, { method: 'POST', headers, body: head + content + end })
  const [file] = (await up.json()) as { hash: string }[]
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const download = httpRequest(`${platform.url}/api/v2/file/download/${file?.hash}`, {
    ...{ agent, headers: { 'x-api-key': user.token } }
  }).end()
  const [answer] = (await once(download, 'response')) as [IncomingMessage]
  const stopping = platform.stop()
  assert.equal((await text(answer)).length, content.length)
  await stopping
})

test('while FILES_DIR is away the answer is 503 and everything else works', slow, async () => {
  const platform = await startTestPlatform()
  try {
    const { world, deps, dataDir } = platform
    const { at, user } = await withUser(world)
    const sent = { as: user, headers: type, body: `${head}x${end}` }
    const upload = () => world.request(`POST ${at}`, sent)
    const download = () => world.request(`GET /api/v2/file/download/${hashOf('x')}`, { as: user })
    assert.equal((await upload()).status, 200)
    const dir = join(dataDir, 'files')
    const lines = () => platform.logged.filter(({ path }) => path === dir).map(({ msg }) => msg)
    const away = [503, { message: 'Service Unavailable' }]
    const allAway = async () => {
      for (const ask of [upload, download]) {
        const { status, json } = await ask()
        assert.deepEqual([status, json], away)
      }
      await sweepFiles(deps)
    }
    renameSync(dir, `${dir}-away`)
    await allAway()
    await eventually(() => assert.deepEqual(lines(), ['the directory does not answer']))
    await allAway()
    assert.equal((await world.request(`GET ${at}`, { as: user })).status, 200)
    assert.equal(deps.hasRoom(), true)
    renameSync(`${dir}-away`, dir)
    await eventually(async () => assert.equal((await download()).status, 200))
    assert.equal((await upload()).status, 200)
    assert.equal(lines().length, 2)
  } finally {
    await platform.stop()
  }
})
