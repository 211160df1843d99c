import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { claimContent, sweepContent } from '../../src/features/file/contents.ts'
import { sweepFiles } from '../../src/features/file/sweep.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }
const notFound = { status: 404, body: { message: 'Not found' } }
const base = '/api/v2/file'
const MAX_FILE_BYTES = 31_457_280
const HOUR_MS = 3_600_000
const asUser = ({ user }: { user: Account }) => user
const hashOf = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
const type = { 'content-type': 'multipart/form-data; boundary=x' }

type File = { id: number; hash: string; name: string; mime: string; [field: string]: unknown }
type PartText = { text: string; filename?: string; mime?: string }

const part = ({ text, filename = 'a.txt', mime = 'text/plain' }: PartText) =>
  `--x\r\ncontent-disposition: form-data; name="file"; filename="${filename}"\r\ncontent-type: ${mime}\r\n\r\n${text}\r\n`
const body = (...parts: PartText[]) => `${parts.map(part).join('')}--x--\r\n`

/** An installation with one file, a user of its organization, and a stranger with the same grants. */
async function withFile(world: World, kind: 'installation' | 'organization' = 'installation') {
  const { installation, user } = await world.site(['file/#'])
  const { user: stranger } = await world.site(['file/#'])
  const id = kind === 'installation' ? installation.id : installation.organization_id
  const at = `${base}/${kind}/${id}`
  const text = world.unique('content')
  const made = await world.request(`POST ${at}`, {
    as: user,
    headers: type,
    body: body({ text, filename: 'å.txt' })
  })
  assert.equal(made.status, 200, made.text)
  const [file] = made.json as File[]
  assert(file)
  const download = (as: { token: string } = user, hash = file.hash) =>
    world.request(`GET ${base}/download/${hash}`, { as })
  return { kind, installation, user, stranger, at, text, file, download }
}

type Given = Awaited<ReturnType<typeof withFile>>

onRegistryMatrix('files', (engine) => {
  let ahead = 0
  const { platform, scenario } = withPlatform(engine, {
    clock: () => unixMs(Date.now() + ahead),
    settings: { CARACAL_FILES_QUOTA_MB: '40' }
  })
  const stored = (): string[] =>
    readdirSync(join(platform().dataDir, 'files'), { recursive: true, encoding: 'utf8' })
      .map((path) => path.replace('/', ''))
      .filter((name) => /^[0-9a-f]{64}$/.test(name))
  const incoming = () => readdirSync(join(platform().dataDir, 'files', 'incoming'))
  const sweep = () => sweepFiles({ ...platform().deps, clock: () => unixMs(Date.now() + ahead) })

  for (const kind of ['installation', 'organization'] as const) {
    describe(`of an ${kind}`, () => {
      scenario('are uploaded, with exactly the names that clients know', {
        given: (world) => withFile(world, kind),
        as: asUser,
        request: ({ at, file }) => `GET ${at}/${file.id}`,
        expect: { status: 200, body: ({ file }: { file: File }) => file },
        and: async (_, { file, text, installation, at, user, download }, world) => {
          const { id, created, updated, ...rest } = file
          assert(Number.isInteger(id) && Number.isInteger(created) && created === updated)
          assert.deepEqual(rest, {
            hash: hashOf(text),
            name: 'å.txt',
            mime: 'text/plain',
            installation_id: kind === 'installation' ? installation.id : 0,
            organization_id: kind === 'organization' ? installation.organization_id : 0
          })
          const list = await world.request(`GET ${at}`, { as: user })
          assert.deepEqual(list.json, [file])
          const { status, headers, text: got } = await download()
          assert.equal(status, 200)
          assert.equal(got, text)
          const want = {
            'content-type': 'text/plain',
            'content-length': String(Buffer.byteLength(text)),
            'content-disposition': `attachment; filename="?.txt"; filename*=UTF-8''%C3%A5.txt`,
            'x-content-type-options': 'nosniff',
            'content-security-policy': "default-src 'none'; sandbox",
            etag: `"${hashOf(text)}"`
          }
          for (const [name, value] of Object.entries(want)) {
            assert.equal(headers.get(name), value, name)
          }
        }
      })
      scenario('are uploaded several at once', {
        given: (world) => withFile(world, kind),
        as: asUser,
        request: ({ at }) => `POST ${at}`,
        headers: type,
        body: body(
          { text: '1', filename: 'one' },
          { text: '', filename: 'nothing', mime: '' },
          { text: '1', filename: 'one again', mime: 'text/html' }
        ),
        expect: { status: 200 },
        and: async ({ json }, { download }) => {
          const files = json as File[]
          assert.deepEqual(
            files.map(({ name, mime, hash }) => [name, mime, hash]),
            [
              ['one', 'text/plain', hashOf('1')],
              ['nothing', 'application/octet-stream', hashOf('')],
              ['one again', 'text/html', hashOf('1')]
            ]
          )
          const empty = await download(undefined, hashOf(''))
          assert.deepEqual([empty.status, empty.text], [200, ''])
          assert.equal(empty.headers.get('content-length'), '0')
        }
      })
      for (const method of ['PUT', 'POST']) {
        scenario(`are replaced with ${method}`, {
          given: (world) => withFile(world, kind),
          as: asUser,
          request: ({ at, file }) => `${method} ${at}/${file.id}`,
          headers: type,
          body: body({ text: `new ${kind} ${method}`, filename: 'new', mime: 'a/b' }),
          expect: { status: 200 },
          and: async ({ json }, { file, download }) => {
            const { updated: _, ...got } = json as File
            const { updated: __, ...was } = file
            const hash = hashOf(`new ${kind} ${method}`)
            assert.deepEqual(got, { ...was, name: 'new', mime: 'a/b', hash })
            assert.equal((await download()).status, 403)
            assert.equal((await download(undefined, hash)).text, `new ${kind} ${method}`)
          }
        })
        scenario(`that are missing are not replaced with ${method}`, {
          given: (world) => withFile(world, kind),
          as: asUser,
          request: ({ at }) => `${method} ${at}/999999`,
          headers: type,
          body: body({ text: 'x' }),
          expect: notFound
        })
        scenario(`are not replaced by two with ${method}`, {
          given: (world) => withFile(world, kind),
          as: asUser,
          request: ({ at, file }) => `${method} ${at}/${file.id}`,
          headers: type,
          body: body({ text: 'x' }, { text: 'y' }),
          expect: { status: 400, body: { message: 'exactly one file is required' } }
        })
      }
      scenario('are deleted', {
        given: (world) => withFile(world, kind),
        as: asUser,
        request: ({ at, file }) => `DELETE ${at}/${file.id}`,
        expect: { status: 200, body: { message: 'Deleted' } },
        and: async (_, { at, file, user, download }, world) => {
          for (const method of ['GET', 'DELETE']) {
            const { status } = await world.request(`${method} ${at}/${file.id}`, { as: user })
            assert.equal(status, 404)
          }
          assert.equal((await download()).status, 403)
        }
      })
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        for (const path of method === 'GET' || method === 'POST' ? ['', '/1'] : ['/1']) {
          const sends = method === 'POST' || method === 'PUT'
          const sent = sends ? { headers: type, body: body({ text: 'stranger' }) } : {}
          scenario(`${method} ${path} without a token`, {
            request: `${method} ${base}/${kind}/1${path}`,
            ...sent,
            expect: unauthorized
          })
          scenario(`${method} ${path} as a stranger`, {
            given: (world) => withFile(world, kind),
            as: ({ stranger }) => stranger,
            request: ({ at, file }) => `${method} ${at}${path && `/${file.id}`}`,
            ...sent,
            expect: forbidden
          })
          scenario(`${method} ${path} without the grant`, {
            given: async (world) => {
              const given = await withFile(world, kind)
              const organizations = [given.installation.organization_id]
              return {
                ...given,
                user: await world.user({ grants: ['installation/#'], organizations })
              }
            },
            as: asUser,
            request: ({ at, file }) => `${method} ${at}${path && `/${file.id}`}`,
            ...sent,
            expect: forbidden
          })
        }
      }
      scenario('cannot be read through another owner', {
        given: async (world) => {
          const { file } = await withFile(world, kind)
          return { file, other: await withFile(world, kind) }
        },
        as: ({ other }) => other.user,
        request: ({ file, other }) => `GET ${other.at}/${file.id}`,
        expect: notFound
      })
    })
  }

  describe('a name or type', () => {
    const refused: [string, string][] = [
      ['', 'filename must not be empty'],
      ['../../etc/passwd', 'filename must not have slashes or control characters'],
      ['..', 'filename must not be only dots'],
      ['a\\\\b', 'filename must not have slashes or control characters'],
      ['a%0D%0Ax: y', 'filename must not have slashes or control characters'],
      ['x'.repeat(256), 'filename must not have more than 255 characters']
    ]
    for (const [filename, message] of refused) {
      scenario(`such as ${JSON.stringify(filename).slice(0, 30)} is refused, with all files`, {
        given: (world) => withFile(world),
        as: asUser,
        request: ({ at }) => `POST ${at}`,
        headers: type,
        body: body({ text: 'good' }, { text: 'bad', filename }),
        expect: { status: 400, body: { message } },
        and: async (_, { at, user, file }, world) => {
          assert.deepEqual((await world.request(`GET ${at}`, { as: user })).json, [file])
          assert.deepEqual(incoming(), [])
        }
      })
    }
    scenario('in doubled quotes is accepted', {
      given: (world) => withFile(world),
      as: asUser,
      request: ({ at }) => `POST ${at}`,
      headers: type,
      body: '--x\r\nContent-Disposition: form-data; name=""b.txt""; filename=""b.txt""\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n1\r\n--x--\r\n',
      expect: { status: 200 },
      and: ({ json }) => {
        const [file] = json as File[]
        assert.equal(file?.name, 'b.txt')
        assert.equal(file?.mime, 'text/plain; charset=utf-8')
      }
    })
    scenario('of an HTML page is kept, and the page does not run in the origin of the API', {
      given: (world) => withFile(world),
      as: asUser,
      request: ({ at }) => `POST ${at}`,
      headers: type,
      body: body({ text: '<script>', filename: 'a.html', mime: 'text/html' }),
      expect: { status: 200 },
      and: async (_, { download }) => {
        const { headers } = await download(undefined, hashOf('<script>'))
        assert.equal(headers.get('content-type'), 'text/html')
        assert.match(headers.get('content-disposition') ?? '', /^attachment;/)
        assert.match(headers.get('content-security-policy') ?? '', /sandbox/)
      }
    })
  })

  describe('a body', () => {
    const refused: [string, Record<string, string>, string, string][] = [
      ['JSON', {}, '{}', 'body must be multipart/form-data'],
      ['nothing', type, '', 'body is not valid multipart/form-data'],
      ['no parts', type, '--x--', 'a part with a filename is required'],
      ['no end', type, part({ text: 'x' }), 'body is not valid multipart/form-data'],
      [
        'only a field',
        type,
        '--x\r\ncontent-disposition: form-data; name="file"\r\n\r\nx\r\n--x--',
        'a part with a filename is required'
      ],
      ['21 files', type, body(...Array(21).fill({ text: 'x' })), 'at most 20 files']
    ]
    for (const [what, headers, text, message] of refused) {
      scenario(`with ${what} is refused`, {
        given: (world) => withFile(world),
        as: asUser,
        request: ({ at }) => `POST ${at}`,
        headers,
        body: text,
        expect: { status: 400, body: { message } },
        and: () => assert.deepEqual(incoming(), [])
      })
    }

    const upload = (given: { at: string; user: Account }, content: Buffer) => {
      const form = new FormData()
      form.append('file', new Blob([new Uint8Array(content)]), 'large.bin')
      const headers = { 'x-api-key': given.user.token }
      return fetch(platform().url + given.at, { method: 'POST', headers, body: form })
    }
    test('has files of at most 30 MiB', slow, async () => {
      const given = await withFile(platform().world)
      const bytes = randomBytes(MAX_FILE_BYTES)
      const most = await upload(given, bytes)
      assert.equal(most.status, 200, await most.clone().text())
      const headers = { 'x-api-key': given.user.token }
      const url = `${platform().url}${base}/download/${hashOf(bytes)}`
      const back = Buffer.from(await (await fetch(url, { headers })).arrayBuffer())
      assert.equal(Buffer.compare(back, bytes), 0)
      // Elsewhere, because here the quota would be exceeded first.
      const more = await upload(await withFile(platform().world), Buffer.alloc(MAX_FILE_BYTES + 1))
      assert.equal(more.status, 413)
      assert.deepEqual(await more.json(), { message: 'Body too large' })
      assert.deepEqual(incoming(), [])
      assert(!stored().includes(hashOf(Buffer.alloc(MAX_FILE_BYTES + 1))))
      // The installation may have 40 MiB.
      const second = await upload(given, Buffer.alloc(MAX_FILE_BYTES / 2))
      assert.equal(second.status, 409)
      const message = 'this goes beyond the quota file_bytes of the installation, which is 41943040'
      assert.deepEqual(await second.json(), { message })
    })
    test('that breaks off stores nothing', async () => {
      const { world, url } = platform()
      const { at, user, file } = await withFile(world)
      const headers = { 'x-api-key': user.token, ...type, 'content-length': '1000000' }
      const sending = httpRequest(url + at, { method: 'POST', headers })
      sending.on('error', () => undefined)
      sending.write(part({ text: 'x'.repeat(100_000) }).slice(0, -2))
      await eventually(() => assert.equal(incoming().length, 1))
      sending.destroy()
      await eventually(() => assert.deepEqual(incoming(), []))
      assert.deepEqual((await world.request(`GET ${at}`, { as: user })).json, [file])
    })
    test('is one of four at once for a caller, and the fifth gets 429', async () => {
      const { world, url } = platform()
      const { at, user, stranger } = await withFile(world)
      const headers = { 'x-api-key': user.token, ...type }
      const sending = Array.from({ length: 4 }, () => {
        const one = httpRequest(url + at, { method: 'POST', headers })
        one.write(part({ text: 'x' }).slice(0, -2))
        return one
      })
      await eventually(() => assert.equal(incoming().length, 4))
      const fifth = await world.request(`POST ${at}`, { headers, body: body({ text: 'x' }) })
      assert.deepEqual([fifth.status, fifth.headers.get('retry-after')], [429, '30'])
      const line = `POST ${at}`
      const other = await world.request(line, { as: stranger, headers: type, body: '' })
      assert.equal(other.status, 403)
      for (const one of sending) {
        one.end('\r\n--x--')
        const [response] = await once(one, 'response')
        assert.equal(response.statusCode, 200)
        response.resume()
      }
    })
    test('of the 1001st file is refused', async () => {
      const { world, deps } = platform()
      const { at, user, file, installation } = await withFile(world)
      const row = { installation_id: installation.id, organization_id: null, hash: file.hash }
      const rest = { name: 'x', mime: 'x/y', size: 0, created: 0, updated: 0 }
      for (let i = 0; i < 3; i++) {
        const rows = Array.from({ length: 333 }, () => ({ ...row, ...rest }))
        await deps.registry.insertInto('files').values(rows).execute()
      }
      const answer = await world.request(`POST ${at}`, {
        as: user,
        headers: type,
        body: body({ text: 'x' })
      })
      assert.equal(answer.status, 409)
      const replaced = await world.request(`PUT ${at}/${file.id}`, {
        as: user,
        headers: type,
        body: body({ text: 'x' })
      })
      assert.equal(replaced.status, 200)
    })

    test('that is deleted while it is replaced is missing, or was replaced before', async () => {
      const { world } = platform()
      const { at, user } = await withFile(world)
      const upload = { as: user, headers: type, body: body({ text: 'x' }) }
      for (let delay = 0; delay < 30; delay++) {
        const [file] = (await world.request(`POST ${at}`, upload)).json as File[]
        const replacing = world.request(`PUT ${at}/${file?.id}`, upload)
        await wait(delay / 2)
        const deleted = await world.request(`DELETE ${at}/${file?.id}`, { as: user })
        assert.equal(deleted.status, 200)
        const { status } = await replacing
        assert(status === 200 || status === 404, `${status}`)
      }
    })
  })

  describe('a download', () => {
    for (const hash of [hashOf('nobody has this'), hashOf('')]) {
      scenario(`of a guessed hash ${hash.slice(0, 4)} is refused`, {
        given: async (world) => {
          // A file with the empty content exists.
          const { at, user } = await withFile(world)
          await world.request(`POST ${at}`, { as: user, headers: type, body: body({ text: '' }) })
          return { user: (await withFile(world)).stranger }
        },
        as: asUser,
        request: `GET ${base}/download/${hash}`,
        expect: forbidden
      })
    }
    for (const hash of ['..%2F..%2Fregistry.sqlite', 'A'.repeat(64), 'a', `${'a'.repeat(63)}%0A`]) {
      scenario(`of ${hash.slice(0, 20)} is refused`, {
        given: (world) => withFile(world),
        as: asUser,
        request: `GET ${base}/download/${hash}`,
        expect: { status: 400 }
      })
    }
    scenario('without a token', {
      request: `GET ${base}/download/${hashOf('')}`,
      expect: unauthorized
    })
    scenario('of a content that the client has already is not sent again', {
      given: (world) => withFile(world),
      as: ({ user }: Given) => user,
      request: ({ file }) => `GET ${base}/download/${file.hash}`,
      headers: ({ file }: Given) => ({ 'if-none-match': `"${file.hash}"` }),
      expect: { status: 304 }
    })
    test('needs the grant to download at the place of the file', async () => {
      const { world } = platform()
      const given = await withFile(world)
      const own = given.installation.organization_id
      const f = async (
        grants: string[],
        more: { organizations?: number[]; assigned?: number[] },
        status: number
      ) => {
        const user = await world.user({ grants, ...more })
        assert.equal((await given.download(user)).status, status, grants.join())
      }
      await f(['file/download/all'], { organizations: [own] }, 200)
      await f(['file/download/assigned'], { organizations: [own] }, 403)
      await f(['file/download/assigned'], { assigned: [given.installation.id] }, 200)
      await f(['file/list/all', 'file/update/all'], { organizations: [own] }, 403)
      await f(['file/update/organization'], { organizations: [own] }, 403)
      await f([`${given.installation.id}/file/download/all`], {}, 200)
      await f(['file/#'], { organizations: [await world.organization(own)] }, 403)
      await f(['file/#'], { organizations: [await world.organization(1)] }, 403)
    })
    test('of a file of an organization needs membership', async () => {
      const { world } = platform()
      const parent = await world.organization()
      const own = await world.organization(parent)
      const child = await world.organization(own)
      const owner = await world.user({ grants: ['file/update/organization'], organizations: [own] })
      const text = world.unique('logo')
      const at = `${base}/organization/${own}`
      const made = await world.request(`POST ${at}`, {
        as: owner,
        headers: type,
        body: body({ text })
      })
      assert.equal(made.status, 200, made.text)
      const f = async (grants: string[], organization: number, [list, get]: [number, number]) => {
        const as = await world.user({ grants, organizations: [organization] })
        const what = `${grants} ${organization - own}`
        assert.equal((await world.request(`GET ${at}`, { as })).status, list, what)
        const line = `GET ${base}/download/${hashOf(text)}`
        assert.equal((await world.request(line, { as })).status, get, what)
        const write = { as, headers: type, body: body({ text: 'x' }) }
        const may = grants.includes('file/update/organization') && organization !== child
        assert.equal((await world.request(`POST ${at}`, write)).status, may ? 200 : 403, what)
      }
      await f(['file/list/all', 'file/download/all'], own, [200, 200])
      await f(['file/list/all', 'file/download/all'], parent, [200, 200])
      await f(['file/list/all', 'file/download/all'], child, [403, 403])
      await f(['file/list/assigned', 'file/download/assigned'], own, [200, 200])
      await f(['file/list/assigned', 'file/download/assigned'], parent, [403, 403])
      await f(['file/list/assigned'], own, [200, 403])
      await f(['file/update/organization'], parent, [200, 200])
      await f(['file/update/organization'], child, [403, 403])
      await f(['file/create_delete/all', 'file/update/all'], own, [403, 403])
    })
    test('whose content is lost is 503, not 500', async () => {
      const { world, deps } = platform()
      const { file, download } = await withFile(world)
      await deps.files.remove(file.hash)
      const { status, json } = await download()
      assert.deepEqual([status, json], [503, { message: 'Service Unavailable' }])
    })
  })

  describe('contents', () => {
    const upload = (given: { at: string; user: Account }, text: string) =>
      platform().world.request(`POST ${given.at}`, {
        as: given.user,
        headers: type,
        body: body({ text })
      })

    test('that are the same are stored once, and removed with the last file', async () => {
      const { world } = platform()
      const first = await withFile(world)
      const second = await withFile(world)
      const text = world.unique('same')
      const answers = await Promise.all(
        [first, second, first, second].map((given) => upload(given, text))
      )
      const files = answers.map(({ status, json }) => {
        assert.equal(status, 200)
        return (json as File[])[0] as File
      })
      const hash = hashOf(text)
      const count = () => stored().filter((name) => name === hash).length
      ahead += HOUR_MS + 1
      for (const [i, file] of files.entries()) {
        await sweep()
        assert.equal(count(), 1)
        const { at, user, download } = i % 2 === 0 ? first : second
        assert.equal((await download(undefined, hash)).text, text)
        const gone = await world.request(`DELETE ${at}/${file.id}`, { as: user })
        assert.equal(gone.status, 200)
      }
      await sweep()
      assert.equal(count(), 0)
    })
    test('of deleted installations and organizations are removed with their files', async () => {
      const { world, deps } = platform()
      const { installation, file } = await withFile(world)
      const organization = await world.organization()
      await deps.directory.catchUp()
      const at = `${base}/organization/${organization}`
      const made = await upload({ at, user: world.admin as Account }, world.unique('content'))
      const [other] = made.json as File[]
      assert(other && stored().includes(file.hash) && stored().includes(other.hash))
      ahead += HOUR_MS + 1
      for (const line of [
        `DELETE /api/v2/installation/${installation.id}`,
        `DELETE /api/v2/organization/${organization}?force=true`
      ]) {
        const { status, text } = await world.request(line, { as: world.admin })
        assert.equal(status, 200, text)
      }
      const left = await deps.registry
        .selectFrom('files')
        .select('id')
        .where('id', 'in', [file.id, other.id])
        .execute()
      assert.deepEqual(left, [])
      await sweep()
      assert(!stored().includes(file.hash) && !stored().includes(other.hash))
    })
    test('that were replaced are removed', async () => {
      const { world } = platform()
      const { at, file, user } = await withFile(world)
      const replace = { as: user, headers: type, body: body({ text: world.unique('new') }) }
      ahead += HOUR_MS + 1
      assert.equal((await world.request(`PUT ${at}/${file.id}`, replace)).status, 200)
      await sweep()
      assert(!stored().includes(file.hash))
    })
    test('that a crash left without a row are removed after an hour', async () => {
      const { deps, world } = platform()
      const text = world.unique('crashed')
      const hash = hashOf(text)
      const half = await deps.files.receive(MAX_FILE_BYTES)
      await half.write(Buffer.from(text))
      await half.finish()
      await claimContent(deps.registry, hash, deps.clock())
      await deps.files.place(half)
      await sweep()
      assert(stored().includes(hash))
      ahead += HOUR_MS + 1
      await sweep()
      assert(!stored().includes(hash))
    })
    test('are not swept while somebody uploads the same content', async () => {
      const { deps, world } = platform()
      const given = await withFile(world)
      const { file, text, at, user } = given
      await world.request(`DELETE ${at}/${file.id}`, { as: user })
      ahead += HOUR_MS + 1
      // The upload begins when the sweep has looked for files but not removed the content yet.
      let uploading: Promise<unknown> | undefined
      const removed = await sweepContent(deps.registry, file.hash, deps.clock(), async () => {
        uploading = upload(given, text)
        await deps.files.remove(file.hash)
      })
      assert.equal(removed, true)
      await uploading
      assert.equal((await given.download()).text, text)
      // The other way round: the content is claimed, so the sweep skips it.
      await claimContent(deps.registry, file.hash, deps.clock())
      const isGone = await sweepContent(deps.registry, file.hash, deps.clock(), async () =>
        assert.fail('it is claimed')
      )
      assert.equal(isGone, false)
      ahead += HOUR_MS + 1
      await sweep()
      assert.equal((await given.download()).text, text)
    })
  })
})
