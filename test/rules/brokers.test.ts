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

test('the routes in the configurations of brokers exist', async () => {
  const routes = new Set((await routeTable()).map(({ method, path }) => `${method} ${path}`))
  const files = globSync('deploy/{emqx,mosquitto}/*', { cwd: root })
  const asked = files.flatMap((file) => read(file).match(/\/broker\/[\w/]+/g) ?? [])
  assert.equal(asked.length, 4)
  assert.deepEqual(
    asked.filter((path) => !routes.has(`POST ${path}`)),
    []
  )
})

test('EMQX does not acknowledge refused messages', () => {
  const options = read('deploy/emqx/caracal.hocon').match(/^ *(no_match|deny_action) .*$/gm)
  assert.deepEqual(
    options?.map((line) => line.trim()),
    ['no_match = deny', 'deny_action = disconnect']
  )
})

test('EMQX distributes by topic, so that nodes can share and the order stays', () => {
  assert.match(
    read('deploy/emqx/caracal.hocon'),
    /^mqtt \{[^}]*^ {2}shared_subscription_strategy = hash_topic$/m
  )
  assert.match(read('deploy/compose.yaml'), /^ {4}CARACAL_BUS_SLOTS: 8$/m)
})

test('mosquitto-go-auth has no cache and no superuser', () => {
  const options = read('deploy/mosquitto/go-auth.conf').match(/^auth_opt_\S*(cache|superuser).*$/gm)
  assert.deepEqual(options, ['auth_opt_disable_superuser true', 'auth_opt_cache false'])
})

test("Debian's mosquitto.conf can include the files: they do not repeat its settings", () => {
  for (const file of globSync('deploy/mosquitto/*', { cwd: root })) {
    assert.doesNotMatch(read(file), /^(persistence_location|pid_file|log_dest)\b/m, file)
  }
})

test('Mosquitto accepts plain.conf', { skip: withoutMosquitto }, async (t) => {
  const passwords = join(temporaryDirectory(), 'passwords')
  execFileSync('mosquitto_passwd', ['-b', '-c', passwords, 'caracal', 'secret'])
  // The test sets the listener and the data directory, as Debian's mosquitto.conf does.
  const settings = read('deploy/mosquitto/plain.conf')
    .split('\n')
    .filter((line) => !/^listener/.test(line))
    .map((line) => line.replace('/etc/mosquitto/passwords', passwords))
  const { port } = await startMosquitto(t, settings)
  await mqttClient(t, port, { username: 'caracal', password: 'secret' })
  await assert.rejects(mqttClient(t, port, { username: 'caracal', password: 'wrong' }))
  await assert.rejects(mqttClient(t, port))
})
