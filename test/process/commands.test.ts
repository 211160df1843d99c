import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { makeCertificate, tlsSettings } from '../support/certificate.ts'
import { eventually } from '../support/eventually.ts'
import { runCaracal, startCaracal, temporaryDirectory } from '../support/process.ts'
import { onPostgres } from '../support/registries.ts'

const root = new URL('../..', import.meta.url).pathname
const boss = { email: 'boss@example.org', password: 'correct horse battery' }
const admin = { CARACAL_ADMIN_EMAIL: boss.email, CARACAL_ADMIN_PASSWORD: boss.password }

/** Gives a program a terminal. */
const hasScript = spawnSync('script', ['--version']).status === 0

type Env = Record<string, string>
type Finding = { check: string; ok: boolean; detail: string }
type Ran = { code: number | null; out: string; err: string }

/** Runs a command with this text on its standard input. */
async function run(env: Env, args: readonly string[], input = ''): Promise<Ran> {
  const child = spawn(process.execPath, ['caracal.js', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', ...env }
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [[code], out, err] = await Promise.all([
    once(child, 'exit'),
    text(child.stdout),
    text(child.stderr)
  ])
  return { code: code as number | null, out, err }
}

/** Runs a command that must succeed, with `--json`. */
async function result(env: Env, args: readonly string[], input = '') {
  const { code, out, err } = await run(env, [...args, '--json'], input)
  assert.equal(code, 0, out + err)
  assert.equal(out.split('\n').length, 2, 'one line')
  return JSON.parse(out)
}

async function signIn(url: string, { email, password } = boss): Promise<Response> {
  const authorization = `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`
  return fetch(`${url}/api/v2/auth`, { method: 'POST', headers: { authorization } })
}

const tokenOf = async (response: Response) => ((await response.json()) as { token: string }).token
const get = (url: string, token: string) => fetch(url, { headers: { 'x-api-key': token } })

/** Every command, on a platform that runs or does not. */
async function useCommands(env: Env, url: string | undefined): Promise<void> {
  const made = await result(
    env,
    ['user', 'add', 'ann@example.org', '--role', 'Administrator', '--first-name', 'Ann', '--stdin'],
    'a password of ann\nmore'
  )
  assert.deepEqual(made, { id: 2, email: 'ann@example.org', disabled: false })
  const { total, users } = await result(env, ['user', 'list'])
  assert.equal(total, 2)
  assert.deepEqual(users[1], {
    id: 2,
    email: 'ann@example.org',
    first_name: 'Ann',
    last_name: '',
    role: 'Administrator',
    organisations: [1],
    has_password: true,
    sms_login: false,
    expire_at: 0,
    disabled: false
  })
  assert.deepEqual(
    (await result(env, ['user', 'list', '--search', 'BOSS'])).users.map(
      ({ email }: { email: string }) => email
    ),
    [boss.email]
  )
  const page = await run(env, ['user', 'list', '--limit', '1'])
  assert.match(page.out, /1 of 2 users; --after 1 shows those that follow/)

  const generated = await result(env, ['user', 'password', 'BOSS@example.org', '--generate'])
  assert.equal(generated.id, 1)
  assert.match(generated.password, /^[a-z2-9]{20}$/)
  const key = await result(env, [
    ...['key', 'add', 'ann@example.org', '--name', 'prometheus'],
    ...['--permission', 'metrics/read', '--days', '30']
  ])
  assert.equal(key.user_id, 2)
  assert(key.expire > Date.now() / 1000 + 29 * 86_400)
  if (url) {
    assert.equal((await signIn(url)).status, 401, 'the old password is over')
    const { password } = generated
    assert.equal((await signIn(url, { email: boss.email, password })).status, 200)
    assert.equal((await get(`${url}/metrics`, key.token)).status, 200)
    const refused = await fetch(`${url}/api/v2/installation`, {
      method: 'POST',
      headers: { 'x-api-key': key.token },
      body: '{"name": "Cabin"}'
    })
    assert.equal(refused.status, 403)
  }
  const disabled = await result(env, ['user', 'disable', 'ann@example.org'])
  assert.deepEqual(disabled, { id: 2, email: 'ann@example.org', disabled: true })
  if (url) assert.equal((await get(`${url}/metrics`, key.token)).status, 401)
  const last = await run(env, ['user', 'disable', boss.email])
  assert.deepEqual(
    [last.code, last.err],
    [1, 'caracal: the last administrator cannot be removed\n']
  )
  const warned = await run(env, ['user', 'password', 'ann@example.org', '--generate'])
  assert.match(warned.out, /the account is disabled and cannot sign in/)
  await result(env, ['user', 'enable', 'ann@example.org'])
  await result(env, ['user', 'password', boss.email, '--stdin'], `${boss.password}\n`)
  if (url) assert.equal((await get(`${url}/metrics`, key.token)).status, 200)
}

/** What the trace says of the commands. */
const traced = [
  'created user 2',
  'set the password of user 1',
  'made a key of user 2',
  'disabled user 2',
  'set the password of user 2',
  'enabled user 2',
  'set the password of user 1'
].map((text) => `${text}, by a command on the machine`)

async function traceAt(url: string): Promise<string[]> {
  const response = await get(`${url}/api/v2/trace?limit=100`, await tokenOf(await signIn(url)))
  const body = (await response.json()) as { data: { description: string }[] }
  return body.data
    .map(({ description }) => description)
    .filter((one) => one.includes('by a command'))
    .reverse()
}

describe('the commands', () => {
  test('work on a running platform', async () => {
    const CARACAL_DATA_DIR = temporaryDirectory()
    const env = { CARACAL_DATA_DIR, ...admin }
    const caracal = await startCaracal(env)
    const session = await tokenOf(await signIn(caracal.url))
    await useCommands({ CARACAL_DATA_DIR }, caracal.url)
    assert.equal(
      (await get(`${caracal.url}/api/v2/user/me`, session)).status,
      401,
      'a new password ends the sessions at once'
    )
    assert.deepEqual(await traceAt(caracal.url), traced)
    const status = await result({ CARACAL_DATA_DIR }, ['status'])
    assert.deepEqual([status.running, status.pid, status.problems], [true, caracal.child.pid, []])
    assert.deepEqual(Object.keys(status.engines), ['registry', 'history', 'bus'])
    assert.equal((await runCaracal(env)).code, 1, 'a second process is refused')
    await result({ CARACAL_DATA_DIR }, ['status'])
    caracal.child.kill('SIGSTOP')
    const hung = await run({ CARACAL_DATA_DIR }, ['status'])
    caracal.child.kill('SIGCONT')
    assert.equal(hung.code, 1)
    assert.match(hung.err, /did not answer within 15 seconds: it hangs or is overloaded/)
    assert.equal(await caracal.kill('SIGTERM'), 0)
    assert(!existsSync(join(CARACAL_DATA_DIR, 'control.sock')), 'the stop removes the socket')
  })

  test('work on a stopped platform, also after kill -9', async () => {
    const CARACAL_DATA_DIR = temporaryDirectory()
    const env = { CARACAL_DATA_DIR, ...admin }
    const first = await startCaracal(env)
    await first.kill('SIGKILL')
    assert(existsSync(join(CARACAL_DATA_DIR, 'control.sock')), 'kill -9 leaves the socket')
    await useCommands({ CARACAL_DATA_DIR }, undefined)
    const { code, out } = await run({ CARACAL_DATA_DIR }, ['status', '--json'])
    assert.equal(code, 1)
    const status = JSON.parse(out)
    assert.equal(status.running, false)
    assert.deepEqual(status.problems, ['Caracal is not running on this data directory'])
    assert.equal(status.engines.registry.detail, 'sqlite')
    const again = await startCaracal(env)
    assert.equal((await signIn(again.url)).status, 200)
    assert.deepEqual(await traceAt(again.url), traced)
    const running = await run({ CARACAL_DATA_DIR }, ['status'])
    assert.equal(running.code, 0, running.out)
    assert.match(running.out, /Everything works\./)
    await again.kill('SIGTERM')
  })

  test('reach a platform whose directory has a long path', async () => {
    const CARACAL_DATA_DIR = join(temporaryDirectory(), 'x'.repeat(120))
    const TMPDIR = temporaryDirectory()
    const env = { CARACAL_DATA_DIR, TMPDIR, ...admin }
    const killed = await startCaracal(env)
    await killed.kill('SIGKILL')
    const caracal = await startCaracal(env)
    const status = await result({ CARACAL_DATA_DIR }, ['status'])
    assert.equal(status.pid, caracal.child.pid)
    await caracal.kill('SIGTERM')
    assert(!existsSync(join(CARACAL_DATA_DIR, 'control.path')))
    assert.deepEqual(
      readdirSync(TMPDIR).filter((name) => name.startsWith('caracal-control-')),
      [],
      'neither run leaves a directory'
    )
  })

  test('wait for a platform that starts', async () => {
    const CARACAL_DATA_DIR = temporaryDirectory()
    await (await startCaracal({ CARACAL_DATA_DIR, ...admin })).kill('SIGTERM')
    const pid = () => readFileSync(join(CARACAL_DATA_DIR, 'pid'), 'utf8')
    const before = pid()
    const starting = startCaracal({ CARACAL_DATA_DIR })
    // Before that, the command would take the data directory itself.
    await eventually(() => assert.notEqual(pid(), before))
    await eventually(async () => {
      const { users } = await result({ CARACAL_DATA_DIR }, ['user', 'list'])
      assert.equal(users.length, 1)
    })
    await (await starting).kill('SIGTERM')
  })
})

onPostgres('the commands', (engine) => {
  test('work on a running node, on a stopped one, and on a machine without data', async () => {
    const CARACAL_REGISTRY_URL = await engine.url()
    const [CARACAL_DATA_DIR, other] = [temporaryDirectory(), temporaryDirectory()]
    const caracal = await startCaracal({ CARACAL_DATA_DIR, CARACAL_REGISTRY_URL, ...admin })
    await useCommands({ CARACAL_DATA_DIR }, caracal.url)
    // The running node hears of a change that is made beside it.
    const session = await tokenOf(await signIn(caracal.url))
    const nowhere = { CARACAL_DATA_DIR: join(other, 'none'), CARACAL_REGISTRY_URL }
    await result(nowhere, ['user', 'password', boss.email, '--stdin'], 'another password\n')
    await eventually(async () => {
      assert.equal((await get(`${caracal.url}/api/v2/user/me`, session)).status, 401)
    })
    assert(!existsSync(join(other, 'none')), 'nothing was made there')
    await caracal.kill('SIGTERM')
    const { users } = await result({ CARACAL_DATA_DIR, CARACAL_REGISTRY_URL }, ['user', 'list'])
    assert.equal(users.length, 2)
  })

  test('say which server does not answer', async () => {
    const env = {
      CARACAL_DATA_DIR: temporaryDirectory(),
      CARACAL_REGISTRY_URL: 'postgres://u:secret@127.0.0.1:1/x'
    }
    const { code, err } = await run(env, ['user', 'list'])
    assert.deepEqual(
      [code, err],
      [1, 'caracal: CARACAL_REGISTRY_URL: 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1\n']
    )
  })
})

test('wrong usage ends with 2 and one line, and changes nothing', async () => {
  const CARACAL_DATA_DIR = join(temporaryDirectory(), 'none')
  const f = async (args: string[], line: RegExp, code = 2, input = '') => {
    const ran = await run({ CARACAL_DATA_DIR }, args, input)
    assert.equal(ran.code, code, ran.err)
    assert.match(ran.err, line)
    assert.equal(ran.err.trimEnd().split('\n').length, 1, ran.err)
    assert.equal(ran.out, '')
  }
  await f(['users'], /unknown command 'users'/)
  await f(['user', 'ad'], /unknown command 'ad'/)
  await f(['user', 'password'], /missing required argument 'email'/)
  await f(['user', 'add', 'a@b'], /required option '--role <role>' not specified/)
  await f(
    ['user', 'add', 'a@b', '--role', 'User', '--password', 'x'],
    /unknown option '--password'/
  )
  await f(['user', 'add', 'a@b', '--role', 'User'], /no terminal to ask for the password/)
  await f(['user', 'password', 'a@b', '--stdin', '--generate'], /exclude each other/)
  await f(['user', 'password', 'a@b', '--stdin'], /there is no password on standard input/)
  await f(['user', 'password', 'a@b', '--stdin'], /too long/, 2, 'x'.repeat(100_000))
  await f(['user', 'list', '--limit', '0'], /--limit must be from 1 to 1000/)
  await f(['user', 'list', '--limit', 'ten'], /It must be a whole number/)
  await f(['user', 'list', 'extra'], /too many arguments/)
  await f(['status', '\u001b[2J'], /too many arguments/)
  await f(['key', 'add', 'a@b'], /required option '--name <name>' not specified/)
  await f(['user', 'list'], /holds no registry: start Caracal once/, 1)
  assert(!existsSync(CARACAL_DATA_DIR), 'nothing was made there')
})

test('check says what is wrong', async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const env = { CARACAL_DATA_DIR, CARACAL_HTTP_PORT: '0', CARACAL_MQTT_PORT: '0' }
  const check = async (more: Env = {}) => {
    const { code, out, err } = await run({ ...env, ...more }, ['check', '--json'])
    const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: Finding[] }
    assert.equal(code, ok ? 0 : 1, out + err)
    return { ok, checks, wrong: checks.filter((one) => !one.ok) }
  }
  const caracal = await startCaracal({ CARACAL_DATA_DIR, ...admin })
  const running = await check()
  assert.deepEqual(running.wrong, [])
  assert.deepEqual(
    running.checks.map((one) => one.check),
    [
      ...['settings', 'data directory', 'data directory', 'disk', 'ports', 'ports'],
      ...['registry', 'history', 'bus', 'clock', 'certificate']
    ]
  )
  await caracal.kill('SIGTERM')
  assert.deepEqual((await check()).wrong, [])

  const f = async (more: Env, name: string, detail: RegExp) => {
    const { ok, wrong } = await check(more)
    assert.equal(ok, false)
    assert.deepEqual(
      wrong.map((one) => one.check),
      [name]
    )
    assert.match(wrong[0]?.detail ?? '', detail)
  }
  await f({ CARACAL_HTPP_PORT: '1' }, 'settings', /CARACAL_HTPP_PORT is not a setting/)
  await f({ CARACAL_DISK_RESERVE_MB: '99999999' }, 'disk', /no values are acknowledged/)
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  await f(
    { CARACAL_HTTP_PORT: String(port) },
    'ports',
    /CARACAL_HTTP_PORT \d+ on .* is already in use/
  )
  taken.close()
  await f(
    { CARACAL_HISTORY_URL: 'http://127.0.0.1:1/x' },
    'history',
    /127\.0\.0\.1:1 does not answer/
  )
  await f(
    {
      CARACAL_TLS_CERT_PATH: '/dev/null',
      CARACAL_TLS_KEY_PATH: '/dev/null',
      CARACAL_MQTTS_PORT: '0'
    },
    'certificate',
    /cannot be used/
  )
  const dir = temporaryDirectory()
  const tls = tlsSettings(dir)
  makeCertificate(dir, 'short')
  await f(tls, 'certificate', /the TLS certificate ends on \d{4}-\d\d-\d\d: renew it/)
  makeCertificate(dir, 'long', 90)
  assert.deepEqual((await check(tls)).wrong, [])
  await f(
    { ...tls, CARACAL_TLS_CLIENT_CA_PATH: '/dev/null' },
    'certificate',
    /CLIENT_CA_PATH: cannot be used \(it must have 1 to 100 certificates/
  )
  await f(
    { ...tls, CARACAL_PUBLIC_URL: 'https://iot.example.org' },
    'certificate',
    /is not for iot\.example\.org/
  )
  const registry = new DatabaseSync(join(CARACAL_DATA_DIR, 'registry.sqlite'))
  registry.exec('update trace set timestamp = timestamp + 3600000')
  await f({}, 'clock', /the newest entry of the trace is 3\d\d\d s in the future/)
  registry.exec('update trace set timestamp = timestamp - 3600000')
  registry.close()
  chmodSync(CARACAL_DATA_DIR, 0o755)
  await f({}, 'data directory', /other users of this machine can reach/)
  const text = await run(env, ['check'])
  assert.equal(text.code, 1)
  assert.match(text.out, /^WRONG {2}data directory {2}other users/m)
  assert.match(text.out, /1 of \d+ checks found something wrong\./)
})

test('every command has --help', async () => {
  const { out } = await run({}, ['--help'])
  for (const name of [
    'status',
    'check',
    'adopt',
    'migrate-to',
    'user enable',
    'user add',
    'user list',
    'user password',
    'user disable',
    'key add'
  ]) {
    assert.match(out, new RegExp(`^ {2}${name} `, 'm'))
    const help = await run({}, [...name.split(' '), '--help'])
    assert.equal(help.code, 0)
    assert.match(help.out, new RegExp(`Usage: caracal ${name}`))
    assert.match(help.out, /--json/)
  }
  assert.match((await run({}, ['help'])).out, /user .*accounts of the platform/)
})

test('a password that is typed is not shown', {
  skip: !hasScript && 'script is not installed'
}, async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const caracal = await startCaracal({ CARACAL_DATA_DIR, ...admin })
  /** Types each line when its question has come; answers what the terminal showed. */
  const type = async (...lines: string[]) => {
    const command = `${process.execPath} caracal.js user password ${boss.email}`
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: root,
      env: { PATH: process.env['PATH'] ?? '', CARACAL_DATA_DIR }
    })
    let shown = ''
    for await (const chunk of child.stdout) {
      shown += chunk
      if (/: $/.test(shown)) child.stdin.write(lines.shift() ?? '')
    }
    return shown
  }
  const password = 'typed by hand'
  const shown = await type(`${password}\r`, `${password}\r`)
  assert.match(shown, /set the password of user 1/)
  assert(!shown.includes('typed'))
  assert.equal((await signIn(caracal.url, { email: boss.email, password })).status, 200)
  assert.match(await type('one password\r', 'another\r'), /the two passwords differ; nothing/)
  assert.match(await type('typed\u0003'), /no password was given; nothing was changed/)
  assert.equal((await signIn(caracal.url, { email: boss.email, password })).status, 200)
  await caracal.kill('SIGTERM')
})

test('refused input of commands', async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const env = { CARACAL_DATA_DIR }
  const caracal = await startCaracal({ ...env, ...admin })
  const f = async (args: string[], error: RegExp, input = 'a good password\n') => {
    const { code, out } = await run(env, [...args, '--json'], input)
    assert.equal(code, 1, out)
    assert.match(JSON.parse(out).error, error)
  }
  const add = (email: string, ...more: string[]) => [
    ...['user', 'add', email, '--stdin'],
    ...(more.length > 0 ? more : ['--role', 'User'])
  ]
  await f(add('nobody'), /email must be an e-mail address/)
  await f(add('a\u001b[2J@b'), /email/)
  await f(add(`${'x'.repeat(300)}@b`), /email/)
  await f(add(boss.email.toUpperCase()), /email is taken/)
  await f(
    add('a@b', '--role', 'Emperor'),
    /there is no role Emperor; the roles are Administrator \(1\)/
  )
  await f(add('a@b', '--role', 'User', '--organization', '99'), /there is no organization 99/)
  await f(add('a@b', '--role', 'User', '--first-name', 'a\u0007'), /first_name/)
  await f(add('a@b'), /password must have at least 8 characters/, 'short\n')
  await f(add('a@b'), /password is one of the most common ones/, 'password1\n')
  await f(['user', 'password', "' or 1=1 --", '--stdin'], /there is no user ' or 1=1 --/)
  await f(['user', 'disable', '__proto__'], /there is no user __proto__/)
  await f(
    ['key', 'add', boss.email, '--name', 'x', '--permission', 'a/#/b'],
    /"a\/#\/b" is not a permission/
  )
  await f(['key', 'add', boss.email, '--name', ''], /name/)
  const { total } = await result(env, ['user', 'list'])
  assert.equal(total, 1)

  // A name that a user chose through the API does not reach the terminal as it is.
  const token = await tokenOf(await signIn(caracal.url))
  await fetch(`${caracal.url}/api/v2/user/me`, {
    method: 'PUT',
    headers: { 'x-api-key': token },
    body: JSON.stringify({ first_name: '\u001b]0;owned\u0007\u202e' })
  })
  const listed = await run(env, ['user', 'list'])
  assert.match(listed.out, /\\u001b\]0;owned\\u0007\\u202e/)
  assert(!listed.out.includes('\u001b'))
  const asJson = await run(env, ['user', 'list', '--json'])
  assert(!asJson.out.includes('\u202e'))
  assert.equal(JSON.parse(asJson.out).users[0].first_name, '\u001b]0;owned\u0007\u202e')
  await caracal.kill('SIGTERM')
})

const isRoot = process.getuid?.() === 0

test('another user of the machine reaches nothing', {
  skip: !isRoot && 'only root can become another user'
}, async () => {
  const short = temporaryDirectory()
  const long = join(temporaryDirectory(), 'x'.repeat(120))
  const connecting = `require('node:net').connect(process.argv[1])
    .on('error', ({ code }) => console.log(code)).on('connect', () => process.exit(9))`
  const stranger = { uid: 65534, gid: 65534, encoding: 'utf8', timeout: 30_000 } as const
  for (const CARACAL_DATA_DIR of [short, long]) {
    const caracal = await startCaracal({ CARACAL_DATA_DIR, ...admin })
    const path =
      CARACAL_DATA_DIR === short
        ? join(short, 'control.sock')
        : readFileSync(join(long, 'control.path'), 'utf8').trim()
    const direct = spawnSync(process.execPath, ['-e', connecting, path], {
      ...stranger,
      cwd: '/'
    })
    assert.equal(direct.stdout, 'EACCES\n')
    const command = spawnSync(process.execPath, [join(root, 'caracal.js'), 'user', 'list'], {
      ...stranger,
      cwd: '/',
      env: { CARACAL_DATA_DIR }
    })
    assert.equal(command.status, 1)
    assert.match(
      command.stderr,
      /belongs to another user: run this command as that user or as root/
    )
    await caracal.kill('SIGTERM')
  }
})

test('the socket is for its owner only, and a directory that others could make is not trusted', async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const caracal = await startCaracal({ CARACAL_DATA_DIR, ...admin })
  const mode = (path: string) => statSync(path).mode & 0o777
  assert.equal(mode(CARACAL_DATA_DIR), 0o700)
  assert.equal(mode(join(CARACAL_DATA_DIR, 'control.sock')), 0o600)
  for (const path of ['/account/list', '/status', '/control/status']) {
    const response = await fetch(caracal.url + path, { method: 'POST', body: '{}' })
    assert.equal(response.status, 404, 'never over TCP')
  }
  const trap = join(temporaryDirectory(), 'caracal-control-trap')
  mkdirSync(trap, { mode: 0o777 })
  writeFileSync(join(CARACAL_DATA_DIR, 'control.path'), join(trap, 'control.sock'))
  let asked = 0
  const server = createServer(() => asked++).listen(join(trap, 'control.sock'))
  chmodSync(trap, 0o777)
  const { code, err } = await run({ CARACAL_DATA_DIR }, ['user', 'list'])
  assert.equal(code, 1)
  assert.match(err, /does not answer commands/)
  assert.equal(asked, 0)
  server.close()
  await caracal.kill('SIGTERM')
})
