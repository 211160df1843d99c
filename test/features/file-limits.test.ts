import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { utimes } from 'node:fs/promises'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { basename, join } from 'node:path'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import { sql } from 'kysely'
import { HOUR, unixMs } from '../../src/lib/unix-time.ts'
import { sweepFiles } from '../../src/workers/file-sweep.ts'
import { eventually } from '../support/eventually.ts'
import { onEveryRegistry } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { World } from '../support/world.ts'

const type = { 'content-type': 'multipart/form-data; boundary=x' }
const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'
const end = '\r\n--x--\r\n'

async function withUser(world: World) {
  const { installation, user } = await world.site(['file/#'])
  return { user, at: `/api/v2/file/installation/${installation.id}` }
}

async function answerTo(sending: ClientRequest) {
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  return { status: response.statusCode, body: await json(response) }
}

onEveryRegistry('limits of files', (engine) => {
  let ahead = 0
  const { platform } = withPlatform(engine, {
    clock: () => unixMs(Date.now() + ahead)
  })
  const incoming = () => readdirSync(join(platform().dataDir, 'files', 'incoming'))
  /** An upload that has sent this much and goes on. */
  const begin = (at: string, { token }: { token: string }, sent: string) => {
    const headers = { 'x-api-key': token, ...type }
    const sending = httpRequest(platform().url + at, { method: 'POST', headers })
    sending.on('error', () => undefined)
    sending.write(sent)
    return sending
  }

  test('both APIs together take four uploads of a caller', async () => {
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
      assert.deepEqual([fifth.status, fifth.headers.get('retry-after')], [503, '30'])
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
    test(`an upload that trickles ${what} for more than an hour is ended`, async () => {
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

  test('a part that was received long ago is there while its request may go on', async () => {
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

  test('an organization goes with more files than a statement has variables', async () => {
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
  })
})
