import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { Settings } from '../../src/config.ts'
import { isSecret } from '../../src/lib/setting.ts'
import { temporaryDirectory } from '../support/process.ts'

const root = new URL('../..', import.meta.url).pathname
const read = (path: string) => readFileSync(join(root, path), 'utf8')

type Service = {
  profiles?: string[]
  environment?: Record<string, string>
  secrets?: string[]
  volumes?: string[]
  ports?: string[]
  [key: string]: unknown
}
type Compose = {
  services: Record<string, Service>
  secrets: Record<string, { file: string }>
  volumes: Record<string, unknown>
}
const compose = parse(read('deploy/compose.yaml'), { merge: true }) as Compose
const services = Object.entries(compose.services)
const ours = services.filter(([, { build }]) => build !== undefined)

/** If a tool is missing, its test is skipped. With CI=true it fails. */
const needs = (tool: string) => ({
  skip:
    spawnSync(tool, ['--version']).error && !process.env['CI'] ? `${tool} is not installed` : false
})
const run = (command: string, args: readonly string[], cwd = root) => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  assert.equal(status, 0, `${command}: ${error?.message ?? ''}${stdout}${stderr}`)
  return stdout
}

test('compose: without a profile there is one node', () => {
  const always = services.filter(([, { profiles }]) => profiles === undefined)
  assert.deepEqual(
    always.map(([name]) => name),
    ['caracal']
  )
})

test('compose: everything that is named exists, and every secret is a file that a service reads', () => {
  const used = new Set(services.flatMap(([, { secrets = [] }]) => secrets))
  assert.deepEqual([...used].sort(), Object.keys(compose.secrets).sort())
  for (const { file } of Object.values(compose.secrets)) assert.match(file, /^\.\/secrets\/\w+$/)
  for (const volume of services.flatMap(([, { volumes = [] }]) => volumes)) {
    const [from = ''] = volume.split(':')
    if (from.startsWith('./')) assert(statSync(join(root, 'deploy', from)).isFile(), from)
    else assert(from in compose.volumes, from)
  }
})

test('compose: no secret is written in the file', () => {
  for (const [service, { environment = {} }] of services) {
    for (const name of Object.keys(environment)) {
      if (/PASSWORD|SECRET|TOKEN|COOKIE|_URL/.test(name) && !/PUBLIC_URL$/.test(name)) {
        assert.match(name, /_FILE$/, `${service} ${name}`)
        assert.match(String(environment[name]), /^\/run\/secrets\/\w+$/)
      }
    }
  }
})

test('compose: every setting exists', () => {
  const known = new Set(Object.keys(Settings.properties).map((name) => `CARACAL_${name}`))
  for (const [name, schema] of Object.entries(Settings.properties)) {
    if (isSecret(schema)) known.add(`CARACAL_${name}_FILE`)
  }
  for (const [, { environment = {} }] of ours) {
    for (const name of Object.keys(environment)) assert(known.has(name), name)
  }
})

test('compose: our containers can write only to their volumes, and only the node, the proxy and the broker publish ports', () => {
  for (const [name, service] of [...ours, ...services.filter(([name]) => name === 'proxy')]) {
    assert.equal(service['read_only'], true, name)
    assert.deepEqual(service['cap_drop'], ['ALL'], name)
    assert.deepEqual(service['security_opt'], ['no-new-privileges:true'], name)
  }
  const seen = services.filter(([, { ports }]) => ports !== undefined)
  assert.deepEqual(seen.map(([name]) => name).sort(), ['caracal', 'emqx', 'proxy'])
  for (const port of compose.services['caracal']?.ports ?? []) assert.match(port, /^127\.0\.0\.1:/)
})

test(
  'compose: the secrets are made once, and Compose accepts the file',
  needs('docker-compose'),
  () => {
    const directory = join(temporaryDirectory(), 'deploy')
    cpSync(join(root, 'deploy'), directory, {
      recursive: true,
      filter: (path) => !/secrets$/.test(path)
    })
    run('./make-secrets.sh', [], directory)
    const password = readFileSync(join(directory, 'secrets/postgres_password'), 'utf8').trim()
    assert.equal(
      readFileSync(join(directory, 'secrets/registry_url'), 'utf8'),
      `postgres://caracal:${password}@postgres:5432/caracal\n`
    )
    assert.equal(statSync(join(directory, 'secrets')).mode & 0o777, 0o700)
    run('./make-secrets.sh', [], directory)
    assert.equal(
      readFileSync(join(directory, 'secrets/postgres_password'), 'utf8').trim(),
      password
    )
    for (const { file } of Object.values(compose.secrets)) statSync(join(directory, file))
    const key = readFileSync(join(directory, 'secrets/broker_key'), 'utf8').trim()
    const broker = readFileSync(join(directory, 'secrets/emqx_hocon'), 'utf8')
    assert.deepEqual(broker.match(/Bearer .*(?=")/g), [`Bearer ${key}`, `Bearer ${key}`])
    assert.deepEqual(broker.match(/http:.*(?=\/broker)/g), [
      'http://nodes:8080',
      'http://nodes:8080'
    ])
    // The Compose of Debian is too old for `name:`.
    writeFileSync(
      join(directory, 'v1.yaml'),
      read('deploy/compose.yaml').replace(/^name:.*\n/m, '')
    )
    for (const profile of ['cluster', 'move']) {
      run('docker-compose', ['-f', 'v1.yaml', '--profile', profile, 'config', '-q'], directory)
    }
  }
)

test('Caddy accepts its file', needs('caddy'), () => {
  run('caddy', ['validate', '--adapter', 'caddyfile', '--config', 'deploy/caddy/Caddyfile'])
})

test('systemd accepts the unit and rates it as safe', needs('systemd-analyze'), () => {
  const unit = join(temporaryDirectory(), 'caracal.service')
  writeFileSync(unit, read('deploy/caracal.service').replaceAll('/opt/caracal', root.slice(0, -1)))
  run('systemd-analyze', ['verify', unit])
  run('systemd-analyze', ['security', '--offline=yes', '--threshold=20', unit])
})

/** What `npm start` gives to Node. */
const startArgs = (): string[] => JSON.parse(read('package.json')).scripts.start.split(' ').slice(2)

test('npm start, the image and the unit of systemd start Node with the same bound of its memory', () => {
  assert.deepEqual(startArgs(), ['--max-semi-space-size=16', 'caracal.js'])
  const unit = read('deploy/caracal.service')
  assert(
    unit.includes(`ExecStart=/opt/caracal/node_modules/node/bin/node ${startArgs().join(' ')}\n`)
  )
})

test('the image has what the program needs, and runs it as an unprivileged user', () => {
  const steps = read('Dockerfile')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
  const last = steps.slice(steps.findLastIndex((line) => line.startsWith('FROM ')))
  assert(last.includes('USER 10001:10001'))
  assert(steps.some((line) => /npm ci --omit=dev\b/.test(line)))
  const exec = (name: string) => {
    const line = last.find((line) => line.includes(name)) ?? ''
    return JSON.parse(line.slice(line.indexOf('['))) as string[]
  }
  assert.deepEqual(exec('ENTRYPOINT'), ['/app/node_modules/node/bin/node', ...startArgs()])
  assert.match(exec('HEALTHCHECK').at(-1) ?? '', /\/health\/live/)
  const copied = steps.flatMap((line) => /^COPY (?!--)(.+) \S+$/.exec(line)?.[1]?.split(' ') ?? [])
  const allowed = read('.dockerignore')
    .match(/^!.+$/gm)
    ?.map((line) => line.slice(1))
  assert.deepEqual(copied.sort(), allowed?.sort())
})

test('the program imports only its dependencies', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: object }
  const known = new Set(Object.keys(dependencies))
  for (const file of globSync('src/**/*.ts', { cwd: root })) {
    for (const [, name = ''] of read(file).matchAll(/(?:from |import\()'([\w@][\w@./:-]*)'/g)) {
      const [scope = '', rest = ''] = name.split('/')
      const owner = scope.startsWith('@') ? `${scope}/${rest}` : scope
      assert(isBuiltin(name) || known.has(owner), `${file} imports ${name}`)
    }
  }
})
