import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'
import type { World } from '../support/world.ts'

type Site = Awaited<ReturnType<World['site']>>
type Row = { topic: string; value: number; timestamp: number }

const grants = ['sample/write/all', 'status/read/all']

/** The bytes of a request as Telegraf's outputs.influxdb_v2 sends them with its default settings. */
async function telegraf(
  { url }: World,
  { installation, user }: Site,
  lines: string,
  token = user.token
) {
  const body = gzipSync(lines)
  const response = await fetch(`${url}/api/v2/write?bucket=${installation.id}&org=home`, {
    method: 'POST',
    headers: {
      'user-agent': 'Telegraf/1.31.0 Go/1.22.4',
      authorization: `Token ${token}`,
      'content-encoding': 'gzip',
      'content-type': 'text/plain; charset=utf-8',
      'accept-encoding': 'gzip'
    },
    body: new Uint8Array(body)
  })
  const { status, headers } = response
  const text = await response.text()
  return { status, headers, text, json: text === '' ? undefined : JSON.parse(text) }
}

/** What a Telegraf with the inputs cpu, mem, disk, system and processes writes in one interval. */
const interval = [
  'cpu,cpu=cpu0,host=pi usage_user=2.5125628140703515,usage_system=1.0050251256281408,usage_idle=96.4824120603015,usage_nice=0,usage_iowait=0 1700000000000000000',
  'cpu,cpu=cpu-total,host=pi usage_user=1.7632241813602015,usage_idle=97.4811083123426 1700000000000000000',
  'mem,host=pi total=8199434240u,available=7403405312u,used=535576576u,used_percent=6.531872870849073,available_percent=90.29166651417862 1700000000000000000',
  'disk,device=mmcblk0p2,fstype=ext4,host=pi,mode=rw,path=/ total=31197237248i,free=25124265984i,used=4767145984i,used_percent=15.947874203917637,inodes_total=1933312i 1700000000000000000',
  'disk,device=mmcblk0p1,fstype=vfat,host=pi,mode=rw,path=/boot/firmware total=534765568u,free=466219008u 1700000000000000000',
  'system,host=pi load1=0.08,load5=0.02,load15=0.01,n_cpus=4i,n_users=1i 1700000000000000000',
  'system,host=pi uptime=894621i 1700000000000000000',
  'system,host=pi uptime_format="10 days,  8:30" 1700000000000000000',
  'processes,host=pi blocked=0i,zombies=0i,running=1i,total=152i,unknown=0i 1700000000000000000',
  'ping,host=pi,url=example.org packets_transmitted=1i,result_code=0i,percent_packet_loss=0,reachable=t 1700000000000000000',
  ''
].join('\n')

async function statusOf(world: World, { installation, user }: Site) {
  const { json } = await world.request(`GET /api/v2/status/${installation.id}`, { as: user })
  const prefix = `${installation.client_id}/obj/`
  const rows = (json as Row[]).map(
    ({ topic, value }) => [topic.replace(prefix, ''), value] as const
  )
  return new Map(rows)
}

describe('POST write', () => {
  const { platform, scenario } = withPlatform()

  test('what Telegraf sends is stored, without its texts', async () => {
    const { world } = platform()
    const site = await world.site(grants)
    const answer = await telegraf(world, site, interval)
    assert.deepEqual([answer.status, answer.text], [204, ''])
    const status = await statusOf(world, site)
    assert.deepEqual([...status.keys()].filter((topic) => !topic.startsWith('cpu')).sort(), [
      ...['total', 'free', 'used', 'used_percent', 'inodes_total']
        .map((field) => `disk/mmcblk0p2/ext4/pi/rw/_/${field}`)
        .concat(
          ['total', 'free'].map((field) => `disk/mmcblk0p1/vfat/pi/rw/_boot_firmware/${field}`)
        )
        .sort(),
      ...['available', 'available_percent', 'total', 'used', 'used_percent'].map(
        (f) => `mem/pi/${f}`
      ),
      ...['packets_transmitted', 'percent_packet_loss', 'reachable', 'result_code'].map(
        (field) => `ping/pi/example.org/${field}`
      ),
      ...['blocked', 'running', 'total', 'unknown', 'zombies'].map((f) => `processes/pi/${f}`),
      ...['load1', 'load15', 'load5', 'n_cpus', 'n_users', 'uptime'].map((f) => `system/pi/${f}`)
    ])
    assert.equal(status.get('cpu/cpu0/pi/usage_idle'), 96.482_412_060_301_5)
    assert.equal(status.get('cpu/cpu-total/pi/usage_idle'), 97.481_108_312_342_6)
    assert.equal(status.get('mem/pi/total'), 8_199_434_240)
    assert.equal(status.get('ping/pi/example.org/reachable'), 1)
    assert.equal(gunzipSync(gzipSync(interval)).toString(), interval)
  })

  test('a wrong token is 401 and counted, as any other key', async () => {
    const { world } = platform()
    const site = await world.site(grants)
    const counted = async () => {
      const { text } = await world.request('GET /metrics', { as: world.admin })
      const name = 'caracal_sign_ins_failed_total{over="http",reason="refused"} '
      return Number(text.split(name)[1]?.split('\n')[0] ?? 0)
    }
    const before = await counted()
    assert.equal((await telegraf(world, site, interval, 'wrong')).status, 401)
    assert.equal((await counted()) - before, 1)
    assert.equal((await statusOf(world, site)).size, 0)
    const other = await world.site(grants)
    assert.equal((await telegraf(world, site, interval, other.user.token)).status, 403)
  })

  const write = (query: string) => (site: Site) =>
    `POST /api/v2/write?bucket=${site.installation.id}${query}`
  const given = (world: World) => world.site(grants)
  const as = ({ user }: Site) => user
  const topics =
    (...names: string[]) =>
    ({ installation }: Site) =>
      names.map((name) => `${installation.client_id}/obj/${name}`)

  for (const [precision, time] of [
    ['', '1700000000123000000'],
    ['&precision=ns', '1700000000123000000'],
    ['&precision=us', '1700000000123000'],
    ['&precision=ms', '1700000000123'],
    ['&orgID=1&precision=s', '1700000000']
  ] as const) {
    scenario(`POST write with the parameters "${precision}"`, {
      ...{ given, as },
      request: write(precision),
      body: `m,t=1 f=1i ${time}`,
      expect: { status: 204, published: topics('m/1/f') },
      and: async (_answer, { installation, user }, world) => {
        const { json } = await world.request(`GET /api/v2/status/${installation.id}`, { as: user })
        const [{ timestamp } = { timestamp: 0 }] = json as Row[]
        assert.equal(Math.floor(timestamp), 1_700_000_000)
      }
    })
  }

  for (const [what, query, message] of [
    ['no bucket', '?org=x', 'bucket is required'],
    ['a bucket with a name', '?bucket=home', 'bucket must be a whole number'],
    ['an unknown precision', '?bucket=ID&precision=h', 'precision must be ns or us or ms or s'],
    ['an unknown parameter', '?bucket=ID&db=x', 'unknown parameter db']
  ] as const) {
    scenario(`POST write with ${what}`, {
      ...{ given, as },
      request: ({ installation }) =>
        `POST /api/v2/write${query.replace('ID', String(installation.id))}`,
      body: 'm f=1',
      expect: { status: 400 },
      and: ({ text }) => assert(text.includes(message), text)
    })
  }

  scenario('POST write with nothing to store', {
    ...{ given, as },
    request: write(''),
    body: '\n# only a comment\nm f="text"\n',
    expect: { status: 204 }
  })

  scenario('POST write with a wrong line stores the lines before it', {
    ...{ given, as },
    request: write(''),
    body: 'm a=1,b=2\n\nm c=3\nm d=ON\nm e=5',
    expect: {
      status: 400,
      body: { message: 'line 4 has a value that is no number: ON', line: 4, stored: 3 },
      published: topics('m/a', 'm/b', 'm/c')
    },
    and: async (_answer, site, world) =>
      assert.deepEqual([...(await statusOf(world, site)).keys()], ['m/a', 'm/b', 'm/c'])
  })

  for (const [what, line, message] of [
    [
      'a time in the future',
      'm f=1 99999999999000000000',
      'has a timestamp that is no whole number'
    ],
    [
      'a time that is too far ahead',
      'm f=1 9999999999000000000',
      'has a timestamp that is more than a day ahead'
    ],
    [
      'a long topic',
      `m,t=${'x'.repeat(1024)} f=1`,
      'has a topic of more than 64 levels or 1024 bytes'
    ]
  ] as const) {
    scenario(`POST write with ${what}`, {
      ...{ given, as },
      request: write(''),
      body: `m a=1\n${line}`,
      expect: { status: 400, published: topics('m/a') },
      and: ({ json }) => {
        const { message: told, ...rest } = json as { message: string }
        assert(told.startsWith(`line 2 ${message}`), told)
        assert.deepEqual(rest, { line: 2, stored: 1 })
      }
    })
  }

  test('a topic on the blacklist is left out, and the ledger has it', async () => {
    const { world } = platform()
    const site = await world.site([...grants, 'ledger/list/all'])
    const { installation, user } = site
    const topic = `${installation.client_id}/obj/m/noise`
    await world.request('POST /api/v2/blacklist/topic', { as: world.admin, body: { topic } })
    const answer = await telegraf(world, site, 'm a=1,noise=2,b=3\n')
    assert.equal(answer.status, 204)
    assert.deepEqual([...(await statusOf(world, site)).keys()], ['m/a', 'm/b'])
    const { json } = await world.request(`GET /api/v2/ledger/${installation.id}`, { as: user })
    const entries = json as { reason: string; topic: string; payload: string }[]
    assert.deepEqual(
      entries.map(({ reason, topic, payload }) => [reason, topic, payload]),
      [['blacklisted', topic, '2']]
    )
  })

  test('many values are stored in parts', slow, async () => {
    const { world, deps } = platform()
    const site = await world.site([...grants, 'log/read/all'])
    const lines = Array.from({ length: 9000 }, (_, i) => `m,t=${i % 7} f=${i} ${i}000000`)
    assert.equal((await telegraf(world, site, lines.join('\n'))).status, 204)
    await deps.spool.settled()
    const status = await statusOf(world, site)
    assert.deepEqual(status.get('m/0/f'), 8995)
    assert.equal(status.size, 7)
  })

  test('large bodies', async () => {
    const { world } = platform()
    const site = await world.site(grants)
    const comment = '# '.padEnd(4 * 1024 * 1024 - 6, 'x')
    assert.equal((await telegraf(world, site, `${comment}\nm a=1`)).status, 204)
    const tooLarge = await telegraf(world, site, `${comment}\nm a=11`)
    assert.deepEqual([tooLarge.status, tooLarge.json], [413, { message: 'Body too large' }])
    const plain = await world.request(`POST /api/v2/write?bucket=${site.installation.id}`, {
      ...{ as: site.user, body: `${comment}\nm a=11` }
    })
    assert.equal(plain.status, 413)
  })
})

describe('POST write and quotas', () => {
  const { platform } = withPlatform(undefined, {
    settings: { CARACAL_QUOTA_INSTALLATION: 'topics=2500,messages_per_second=100' }
  })

  test('what came before is stored and told', async () => {
    const { world } = platform()
    const site = await world.site(grants)
    const lines = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => `m,t=${from + i} f=1\n`).join('')
    const over = await telegraf(world, site, lines(0, 2600))
    assert.equal(over.status, 409)
    assert.deepEqual(over.json, {
      message: 'this goes beyond the quota topics of the installation, which is 2500',
      line: 2001,
      stored: 2000
    })
    const again = Array.from({ length: 4000 }, () => 'm,t=1 f=1\n').join('')
    const fast = await telegraf(world, site, again)
    assert.equal(fast.status, 429)
    assert(Number(fast.headers.get('retry-after')) >= 1)
    const { line, stored } = fast.json
    assert.deepEqual([line, stored], [2001, 2000])
  })
})
