import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { routeTable } from '../../tools/pages.ts'
import { startMosquitto, withoutMosquitto } from '../support/mosquitto.ts'
import { mqttClient } from '../support/mqtt.ts'
import { temporaryDirectory } from '../support/process.ts'

const root = new URL('../..', import.meta.url).pathname
const read = (file: string) => readFileSync(join(root, file), 'utf8')

test('what the configurations of brokers ask for exists', async () => {
  const routes = new Set((await routeTable()).map(({ method, path }) => `${method} ${path}`))
  const files = globSync('deploy/{emqx,mosquitto}/*', { cwd: root })
  const asked = files.flatMap((file) => read(file).match(/\/broker\/[\w/]+/g) ?? [])
  assert.equal(asked.length, 4)
  assert.deepEqual(
    asked.filter((path) => !routes.has(`POST ${path}`)),
    []
  )
})

test('EMQX acknowledges nothing that was refused', () => {
  const options = read('deploy/emqx/caracal.hocon').match(/^ *(no_match|deny_action) .*$/gm)
  assert.deepEqual(
    options?.map((line) => line.trim()),
    ['no_match = deny', 'deny_action = disconnect']
  )
})

test('EMQX deals by topic, so that nodes may share and order holds', () => {
  assert.match(
    read('deploy/emqx/caracal.hocon'),
    /^mqtt \{[^}]*^ {2}shared_subscription_strategy = hash_topic$/m
  )
  assert.match(read('deploy/compose.yaml'), /^ {4}CARACAL_BUS_SLOTS: 8$/m)
})

test('mosquitto-go-auth caches nothing and knows no superuser', () => {
  const options = read('deploy/mosquitto/go-auth.conf').match(/^auth_opt_\S*(cache|superuser).*$/gm)
  assert.deepEqual(options, ['auth_opt_disable_superuser true', 'auth_opt_cache false'])
})

test("Debian's mosquitto.conf can include them: it says where the data are, and that only once", () => {
  for (const file of globSync('deploy/mosquitto/*', { cwd: root })) {
    assert.doesNotMatch(read(file), /^(persistence_location|pid_file|log_dest)\b/m, file)
  }
})

test('Mosquitto takes plain.conf', { skip: withoutMosquitto }, async (t) => {
  const passwords = join(temporaryDirectory(), 'passwords')
  execFileSync('mosquitto_passwd', ['-b', '-c', passwords, 'caracal', 'secret'])
  // Where it listens is the test's own; where it keeps its data is said beside it, as Debian does.
  const settings = read('deploy/mosquitto/plain.conf')
    .split('\n')
    .filter((line) => !/^listener/.test(line))
    .map((line) => line.replace('/etc/mosquitto/passwords', passwords))
  const { port } = await startMosquitto(t, settings)
  await mqttClient(t, port, { username: 'caracal', password: 'secret' })
  await assert.rejects(mqttClient(t, port, { username: 'caracal', password: 'wrong' }))
  await assert.rejects(mqttClient(t, port))
})
