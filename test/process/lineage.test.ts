import assert from 'node:assert/strict'
import { copyFileSync, cpSync, existsSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connectAsync } from 'mqtt'
import { eventually } from '../support/eventually.ts'
import {
  createInstallation,
  runCaracal,
  startCaracal,
  temporaryDirectory
} from '../support/process.ts'
import { type Program, runProgram, startProgram } from '../support/program.ts'
import { onPostgres, onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'

const admin = {
  CARACAL_ADMIN_EMAIL: 'boss@example.org',
  CARACAL_ADMIN_PASSWORD: 'correct horse battery'
}

type Site = Awaited<ReturnType<typeof createInstallation>>

async function publish(
  { mqttPort }: Pick<Program, 'mqttPort'>,
  { token, client_id }: Site,
  value: number
) {
  const client = await connectAsync(`mqtt://127.0.0.1:${mqttPort}`, {
    ...{ username: 'key', password: token }
  })
  const topic = `${client_id}/obj/temperature`
  await client.publishAsync(topic, JSON.stringify({ value }), { qos: 1 })
  await client.endAsync()
}

async function statusOf({ url }: Program, { token, id }: Site): Promise<unknown[]> {
  const answer = await fetch(`${url}/api/v2/status/${id}`, { headers: { 'x-api-key': token } })
  return (await answer.json()) as unknown[]
}

/** One line on stderr, exit code 1, and no first administrator. */
async function refuses(env: Record<string, string>, line: RegExp): Promise<void> {
  const { code, out, err } = await runProgram(env)
  assert.deepEqual([code, out], [1, ''], err)
  assert.match(err, line)
  assert.equal(err.trimEnd().split('\n').length, 1, err)
}

const registryOf = (dataDir: string) => join(dataDir, 'registry.sqlite')
const copyRegistry = (dataDir: string, to: string) =>
  copyFileSync(registryOf(dataDir), join(to, 'yesterday.sqlite'))
function restore(dataDir: string, from: string): void {
  for (const end of ['-wal', '-shm']) rmSync(registryOf(dataDir) + end, { force: true })
  copyFileSync(join(from, 'yesterday.sqlite'), registryOf(dataDir))
}

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(
    `an older registry is refused after ${signal}, and after adopt no id is used twice`,
    signal === 'SIGTERM' ? slow : {},
    async () => {
      const [CARACAL_DATA_DIR, kept] = [temporaryDirectory(), temporaryDirectory()]
      const env = { CARACAL_DATA_DIR, ...admin }
      const first = await startProgram(env)
      await createInstallation(first, 'Cabin')
      assert.equal(await first.stop(), 0)
      copyRegistry(CARACAL_DATA_DIR, kept)

      const second = await startCaracal(env)
      const site = await createInstallation(second, 'Of another customer')
      await publish(second, site, 42)
      await second.kill(signal)
      restore(CARACAL_DATA_DIR, kept)

      await refuses(
        env,
        /^caracal: the registry .*registry\.sqlite is older than the (history|spool) .*: it has given out .*, but .* has seen .*installation 2.*; restore the whole backup, or .*adopt"\n$/
      )
      const adopted = await runProgram(env, ['adopt'])
      assert.equal(adopted.code, 0, adopted.err)
      assert.match(adopted.out, /the registry .*has given out .*installation 1/)
      assert.match(adopted.out, /the (history|spool) .*has seen .*installation 2/)
      assert.match(adopted.out, /There are values of 1 installations .* \(2\)/)
      const third = await startProgram(env)
      const next = await createInstallation(third, 'New')
      assert(next.id > 2, `installation ${next.id} was given out before`)
      assert.deepEqual(await statusOf(third, next), [])
      assert.equal(await third.stop(), 0)
      const again = await runProgram(env, ['adopt'])
      assert.match(again.out, /nothing to do/)
    }
  )
}

test('a registry that was copied while it ran is refused after kill -9', slow, async () => {
  const [CARACAL_DATA_DIR, kept] = [temporaryDirectory(), temporaryDirectory()]
  const env = { CARACAL_DATA_DIR, ...admin }
  const first = await startCaracal(env)
  const { token, id } = await createInstallation(first, 'Cabin')
  const createFunction = () =>
    fetch(`${first.url}/api/v2/functionx/${id}`, {
      method: 'POST',
      headers: { 'x-api-key': token },
      body: JSON.stringify({ type: 'lamp', meta: {} })
    })
  await createFunction()
  // The first id of a kind makes history reserve more.
  await wait(2000)
  cpSync(CARACAL_DATA_DIR, kept, { recursive: true })
  await createFunction()
  await first.kill('SIGKILL')
  for (const end of ['', '-wal', '-shm']) {
    const [copy, own] = [registryOf(kept) + end, registryOf(CARACAL_DATA_DIR) + end]
    if (existsSync(copy)) copyFileSync(copy, own)
    else rmSync(own, { force: true })
  }
  await refuses(env, /has given out .*, but the (spool|history) .* has seen .*object 2/)
})

for (const [what, lose] of [
  ['missing', (file: string) => rmSync(file)],
  ['truncated to nothing', (file: string) => truncateSync(file)]
] as const) {
  test(
    `a registry that is ${what} makes no new administrator if there is a history`,
    what === 'missing' ? {} : slow,
    async () => {
      const CARACAL_DATA_DIR = temporaryDirectory()
      const env = { CARACAL_DATA_DIR, ...admin }
      const first = await startProgram(env)
      const site = await createInstallation(first, 'Cabin')
      await publish(first, site, 21.5)
      await first.stop()
      lose(registryOf(CARACAL_DATA_DIR))
      await refuses(
        env,
        /^caracal: the registry .* is new, but the history .* belongs to platform \w{8} and has seen .*installation 1.*adopt"\n$/
      )
      const { code, out, err } = await runProgram(env, ['adopt'])
      assert.equal(code, 0, err)
      assert.match(out, /the registry .*, new, has given out no ids/)
      const adopted = await startProgram(env)
      const next = await createInstallation(adopted, 'New')
      assert(next.id > site.id)
      assert.deepEqual(await statusOf(adopted, next), [])
      const policy = await fetch(`${adopted.url}/api/v2/gateway/registration/policy`, {
        headers: { 'x-api-key': next.token }
      })
      const { default_organization_id } = (await policy.json()) as {
        default_organization_id: number
      }
      const home = await fetch(`${adopted.url}/api/v2/organization/${default_organization_id}`, {
        headers: { 'x-api-key': next.token }
      })
      assert.equal(((await home.json()) as { name: string }).name, 'Home')
      // Only callers who reach the top organization read the ledger. Its id is not 1 here.
      const ledger = await fetch(`${adopted.url}/api/v2/ledger`, {
        headers: { 'x-api-key': next.token }
      })
      assert.equal(ledger.status, 200)
      assert.equal(await adopted.stop(), 0)
    }
  )
}

test('parts of another platform are refused, also by adopt', slow, async () => {
  const [here, there] = [temporaryDirectory(), temporaryDirectory()]
  for (const CARACAL_DATA_DIR of [here, there]) {
    const caracal = await startProgram({ CARACAL_DATA_DIR, ...admin })
    const site = await createInstallation(caracal, 'Cabin')
    await publish(caracal, site, 1)
    await caracal.stop()
  }
  const env = { CARACAL_DATA_DIR: here, ...admin }
  const parts = {
    'registry.sqlite': /the registry .* is platform \w{8}, but the history .* belongs to platform/,
    history: /the registry .* is platform \w{8}, but the history .* belongs to platform/,
    'spool.sqlite': /but the spool .* belongs to platform/,
    'mqtt.sqlite': /but the MQTT queue .* belongs to platform/,
    files: /but the files .* belongs? to platform/
  }
  for (const [name, line] of Object.entries(parts)) {
    const [own, other] = [join(here, name), join(there, name)]
    renameSync(own, `${own}.own`)
    cpSync(other, own, { recursive: true })
    await refuses(env, line)
    if (name === 'history') {
      const { code, err } = await runProgram(env, ['adopt'])
      assert.equal(code, 1)
      assert.match(err, /has 1 installations, which would show the values of another/)
    }
    rmSync(own, { recursive: true })
    renameSync(`${own}.own`, own)
  }
  const caracal = await startProgram(env)
  assert.equal(await caracal.stop(), 0)
})

test('a missing history is not silently replaced by an empty one', slow, async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const env = { CARACAL_DATA_DIR, ...admin }
  const first = await startProgram(env)
  await first.stop()
  rmSync(join(CARACAL_DATA_DIR, 'history'), { recursive: true })
  await refuses(env, /the registry .* has had a history, but the history .* knows nothing of it/)
  assert.equal((await runProgram(env, ['adopt'])).code, 0)
  const next = await startProgram(env)
  assert.equal(await next.stop(), 0)
})

test('adopt refuses a running platform and options it does not know', async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const env = { CARACAL_DATA_DIR, ...admin }
  const caracal = await startProgram(env)
  const running = await runCaracal(env, ['adopt'])
  assert.match(running.err, /in use by another Caracal/)
  const wrong = await runCaracal(env, ['adopt', '--force'])
  assert.match(wrong.err, /adopt takes no options/)
  assert.equal(await caracal.stop(), 0)
})

onRegistryMatrix('ids', (engine) => {
  test('continue without a gap after SIGTERM and after kill -9', async () => {
    const CARACAL_DATA_DIR = temporaryDirectory()
    const env = { CARACAL_DATA_DIR, CARACAL_REGISTRY_URL: await engine.url(), ...admin }
    const ids: number[] = []
    for (const signal of ['SIGTERM', 'SIGKILL', 'SIGTERM'] as const) {
      const caracal = await startCaracal(env)
      ids.push((await createInstallation(caracal, 'Cabin')).id)
      await caracal.kill(signal)
    }
    assert.deepEqual(ids, [1, 2, 3])
  })
})

onPostgres('lineage', (engine) => {
  test(
    'a new node with an empty spool starts, a node with an empty history does not',
    slow,
    async () => {
      const url = await engine.url()
      const [first, second] = [temporaryDirectory(), temporaryDirectory()]
      const env = { CARACAL_REGISTRY_URL: url, ...admin }
      const caracal = await startProgram({ ...env, CARACAL_DATA_DIR: first })
      await caracal.stop()
      await refuses({ ...env, CARACAL_DATA_DIR: second }, /has had a history, but/)
      cpSync(join(first, 'history'), join(second, 'history'), { recursive: true })
      const node = await startProgram({ ...env, CARACAL_DATA_DIR: second })
      await eventually(() => assert.match(node.printed(), /Caracal \S+ is ready/))
      assert.equal(await node.stop(), 0)
    }
  )
})
