import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { encodeSample } from '../../src/lib/sample.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { BadSite } from '../../src/site/bad-site.ts'
import { FrameWriter } from '../../src/site/frames.ts'
import { temporaryDirectory } from '../support/process.ts'
import { slow } from '../support/rounds.ts'
import {
  cutCopy,
  device,
  flippedCopy,
  head,
  type Line,
  readWhole,
  site,
  writeSite
} from '../support/site-file.ts'

const directory = temporaryDirectory()
const place = (name: string) => join(directory, name)
const sample = {
  ...{ id: 1, installation_id: 7, client_id: 1007, topic: '1007/obj/a' },
  ...{ timestamp: unixMs(1_700_000_000_000), value: 1, msg: '' }
}
const row = encodeSample(sample)
const refusal = (pattern: RegExp) => (error: unknown) => {
  assert(error instanceof BadSite, String(error))
  assert.match(error.message, pattern)
  assert(!error.message.includes('\n'), 'one line')
  return true
}

test(
  'a file that is cut off or changed at any fiftieth of its length is refused',
  slow,
  async () => {
    const objects = Array.from({ length: 300 }, (_, i) => device(i + 1, { name: `device ${i}` }))
    const rows = Array.from({ length: 3000 }, (_, i) =>
      encodeSample({ ...sample, id: i + 1, timestamp: unixMs(i), value: Math.sin(i) })
    )
    const path = await writeSite(place('whole'), [head, site, ...objects], {
      ...{ rows: rows.join(''), latest: rows.at(-1) ?? '' }
    })
    assert.equal((await readWhole(path)).length, 2 + 300 + 3 + 1)
    const { size } = statSync(path)
    for (let i = 0; i < 50; i++) {
      const at = Math.floor((i * size) / 50)
      await assert.rejects(readWhole(flippedCopy(path, at)), BadSite, `changed at ${at}`)
      await assert.rejects(readWhole(cutCopy(path, at)), BadSite, `cut off at ${at}`)
    }
    for (let back = 1; back <= 40; back++) {
      await assert.rejects(readWhole(flippedCopy(path, size - back)), BadSite)
      await assert.rejects(readWhole(cutCopy(path, size - back)), BadSite)
    }
    appendFileSync(path, 'x')
    await assert.rejects(readWhole(path), refusal(/something follows/))
  }
)

test('a file of another format or of something else is refused in one line', async () => {
  for (const [text, why] of [
    ['caracal-site 2\n', /it has format 2, and this version of Caracal reads format 1/],
    ['', /it was not written by "export"/],
    ['PK\u0003\u0004 a zip', /it was not written by "export"/],
    ['caracal-site 1\n', /it is cut off/]
  ] as const) {
    writeFileSync(place('other'), text)
    await assert.rejects(readWhole(place('other')), refusal(why))
  }
  await assert.rejects(readWhole(directory), refusal(/it is not a file/))
})

test('a group that unpacks to more than it says is refused', async () => {
  const path = place('bomb')
  const writer = await FrameWriter.open(path)
  await writer.write('record', Buffer.alloc(8 * 1024 * 1024, 32))
  await writer.close()
  const bytes = readFileSync(path)
  bytes.writeUInt32LE(1000, 'caracal-site 1\n'.length + 1)
  writeFileSync(path, bytes)
  await assert.rejects(readWhole(path), refusal(/damaged/))
  bytes.writeUInt32LE(2 ** 31, 'caracal-site 1\n'.length + 1)
  writeFileSync(path, bytes)
  await assert.rejects(readWhole(path), refusal(/damaged/))
})

describe('a record is refused', () => {
  const at = { created: 1, updated: 1 }
  const schedule = (fields: object): Line => [
    'schedule',
    {
      ...{ id: 1, active: true, topic: 'set/a', value: 1, minute: '*', hour: '*', ...at },
      ...{ day_of_month: '*', day_of_week: '*', month: '*', executor: 'server', ...fields }
    }
  ]
  const file = (fields: object): Line => [
    'file',
    { id: 1, hash: 'a'.repeat(64), name: 'n', mime: 'text/plain', size: 1, ...at, ...fields }
  ]
  const app: Line = [
    'app',
    {
      ...{ id: 1, name: 'a', publisher: 'p', category: '', tags: [], short_description: '' },
      ...{ description: '', source_url: '' }
    }
  ]
  const files = { app_json: '{}', app_lua: '' }
  const version = (fields: object): Line => [
    'version',
    { app: 1, hash: 'b'.repeat(64), name: null, uploaded: 1, ...fields }
  ]
  const deep = (levels: number): unknown =>
    JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`)
  const instance = (config: unknown): Line => [
    'instance',
    { id: 1, app: 1, version: '1', hash: 'b'.repeat(64), name: '', config, ...at }
  ]
  const output: Line = [
    'output',
    { id: 1, name: '', message: 9, executor: { type: '', name: '' }, config: {}, ...at }
  ]
  const mapping = (id: number): Line => [
    'mapping',
    {
      ...{ id, name: '', active: true, make: '', filter: 'dev/#', create_missing: false },
      values: Array(40).fill({ path: 'p'.repeat(500), topic: 'obj/x', unit: 'u'.repeat(60) })
    }
  ]
  const cases: Record<string, readonly [lines: readonly (Line | string)[], why: RegExp]> = {
    'that is not JSON': [[head, '{'], /not JSON/],
    'of an unknown kind': [[head, ['user', {}]], /no kind/],
    'with the kind __proto__': [[head, ['__proto__', {}]], /no kind/],
    'without the installation': [[head, device(1)], /not in order/],
    'before the head': [[site], /not in order/],
    'that comes twice': [[head, site, site], /too many/],
    'out of order': [[head, site, schedule({}), device(1)], /not in order/],
    'with an unknown field': [[head, ['installation', { ...(site[1] as object), x: 1 }]], /x/],
    'with an id that is there already': [[head, site, device(1), device(1)], /twice/],
    'with NUL': [[head, site, device(1, { a: '\0' })], /NUL/],
    'with metadata that are too large': [
      [
        head,
        site,
        device(1, Object.fromEntries(Array.from({ length: 5 }, (_, i) => [i, 'x'.repeat(60_000)])))
      ],
      /must not have more than/
    ],
    'with too many keys': [
      [head, site, device(1, Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [i, ''])))],
      /2000 keys/
    ],
    'with a type that has a slash': [
      [head, site, ['device', { id: 1, type: 'a/b', meta: {}, protected_meta: {}, ...at }]],
      /type/
    ],
    'with a key in both maps': [
      [
        head,
        site,
        ['device', { id: 1, type: 't', meta: { a: '' }, protected_meta: { a: '' }, ...at }]
      ],
      /meta and in protected_meta/
    ],
    'with a time zone that does not exist': [
      [head, ['installation', { ...(site[1] as object), timezone: 'Mars/Base' }]],
      /timezone/
    ],
    'with a schedule that never fits': [[head, site, schedule({ minute: '99' })], /minute/],
    'with a topic that has wildcards': [[head, site, schedule({ topic: 'a/#' })], /topic/],
    'with a path as the name of a file': [
      [head, site, file({ name: '../../etc/passwd' })],
      /filename/
    ],
    'with a mime type that breaks headers': [[head, site, file({ mime: 'a/b\r\nx: y' })], /mime/],
    'with a file that is too large': [[head, site, file({ size: 2 ** 40 })], /size/],
    'with a file without content': [[head, site, file({})], /content of a file is missing/],
    'with a content that no file has': [
      [head, site, ['content', { hash: 'c'.repeat(64), size: 1 }]],
      /no file has this content/
    ],
    'with a message that does not exist': [[head, site, output], /no message 9/],
    'with a template that is wrong': [
      [head, site, ['message', { id: 1, name: 'n', text: '{{', ...at }]],
      /text/
    ],
    'with files that do not have their hash': [[head, site, app, version({ files })], /hash/],
    'with a version of no app': [[head, site, version({})], /no app 1/],
    'with an instance of no version': [[head, site, app, instance({})], /version is not there/],
    'with a configuration that is nested too deep': [
      [head, site, app, version({}), instance({ a: deep(1000) })],
      /nested too deep/
    ],
    'with brackets without end': [
      [
        head,
        site,
        app,
        version({}),
        JSON.stringify(instance({ a: 0 })).replace(
          '"a":0',
          `"a":${'['.repeat(500_000)}${']'.repeat(500_000)}`
        )
      ],
      /nested too deep/
    ],
    'with a plot without a time': [
      [head, site, ['board', { plots: [{ title: 'a', topics: ['obj/a'] }], updated: 1 }]],
      /span/
    ],
    'with mappings that are too long together': [
      [head, site, ...Array.from({ length: 6 }, (_, id) => mapping(id + 1))],
      /mapping.*too long/
    ],
    'with a blacklist entry of everybody': [
      [head, site, ['blacklist', { topic: '#', mode: 'block', enabled: true, reason: '' }]],
      /no filter of this installation/
    ],
    'with a blacklist entry of another installation': [
      [head, site, ['blacklist', { topic: '1008/#', mode: 'block', enabled: true, reason: '' }]],
      /no filter of this installation/
    ],
    'with a quota that does not exist': [
      [head, ['installation', { ...(site[1] as object), quotas: { gold: 1 } }]],
      /gold/
    ]
  }
  for (const [name, [lines, why]] of Object.entries(cases)) {
    test(name, async () => {
      await assert.rejects(readWhole(await writeSite(place('record'), lines)), refusal(why))
    })
  }
})

describe('a value is refused', () => {
  const rows: Record<string, string> = {
    'of another installation': encodeSample({ ...sample, installation_id: 8 }),
    'of another client id': encodeSample({ ...sample, client_id: 1008 }),
    'on a topic of another installation': encodeSample({ ...sample, topic: '1008/obj/a' }),
    'on a topic that is no object': encodeSample({ ...sample, topic: '1007/evt/a' }),
    'on an empty object': encodeSample({ ...sample, topic: '1007/obj/' }),
    'with a wildcard': encodeSample({ ...sample, topic: '1007/obj/#' }),
    'with NUL': encodeSample({ ...sample, topic: '1007/obj/\0' }),
    'with a topic that is too long': encodeSample({
      ...sample,
      topic: `1007/obj/${'x'.repeat(1100)}`
    }),
    'with a message that is too long': encodeSample({ ...sample, msg: 'x'.repeat(70_000) }),
    'more than a day ahead': encodeSample({ ...sample, timestamp: unixMs(Date.now() + 1e9) }),
    'that is infinite': row.replace('\t1\t\n', '\t1e999\t\n'),
    'that is no number': row.replace('\t1\t\n', '\t1-+e\t\n'),
    'with an id that is too large': row.replace(/^1/, '9999999999999999'),
    'with a column too many': row.replace('\n', '\tx\n'),
    'with a column too few': '1\t7\t1007\t1007/obj/a\n',
    'that is an empty line': '\n',
    'without an end': row.slice(0, -1)
  }
  for (const [name, text] of Object.entries(rows)) {
    test(name, async () => {
      const path = await writeSite(place('value'), [head, site], { rows: `${row}${text}` })
      await assert.rejects(readWhole(path), BadSite)
    })
  }
})

test('a file with another number of things than it says is refused', async () => {
  const path = await writeSite(place('counts'), [head, site], { rows: row, counts: { sample: 2 } })
  await assert.rejects(readWhole(path), refusal(/it has 1 of sample, not 2/))
})

test('a content that is not what its hash says is refused', async () => {
  const path = place('content')
  const hash = createHash('sha256').update('abc').digest('hex')
  const writer = await FrameWriter.open(path)
  const file = { id: 1, hash, name: 'n', mime: 'text/plain', size: 3, created: 1, updated: 1 }
  const lines = [head, site, ['file', file], ['content', { hash, size: 3 }]]
  await writer.write('record', Buffer.from(lines.map((one) => `${JSON.stringify(one)}\n`).join('')))
  await writer.write('content', Buffer.from('abd'))
  await writer.end({ head: 1, installation: 1, file: 1, content: 1 })
  await writer.close()
  await assert.rejects(readWhole(path), refusal(/is damaged/))
})
