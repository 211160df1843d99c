import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import {
  createInstallation,
  runCaracal,
  startCaracal,
  temporaryDirectory
} from '../support/process.ts'
import { rounds } from '../support/rounds.ts'
import { SteadyDevice } from '../support/steady-device.ts'

const ROUNDS = rounds(8, 2)
const KILLS = rounds(10, 3)
const CLIENTS = 6
/** Enough for packed files: a batch of this size is packed at once. */
const IMPORTED = 30_000

const admin = {
  CARACAL_ADMIN_EMAIL: 'boss@example.org',
  CARACAL_ADMIN_PASSWORD: 'correct horse battery'
}
const isComplete = (name: string) => /^\d{4}-\d{2}-\d{2}T\d{6}Z$/.test(name)

type Page = { total: number; data: { value: number }[] }

async function readAll(url: string, token: string, id: number, topic: string): Promise<number[]> {
  const values: number[] = []
  for (;;) {
    const query = `from=0&order=asc&topics=${topic}&limit=100000&offset=${values.length}`
    const page = await fetch(`${url}/api/v3beta/log/${id}?${query}`, {
      headers: { 'x-api-key': token }
    })
    const { data, total } = (await page.json()) as Page
    values.push(...data.map(({ value }) => value))
    if (data.length === 0 || values.length >= total) return values
  }
}

async function importValues(url: string, token: string, id: number, topic: string): Promise<void> {
  const lines = Array.from({ length: IMPORTED }, (_, i) =>
    JSON.stringify({ topic, timestamp: 1_600_000_000 + i * 60, value: i })
  )
  const answer = await fetch(`${url}/api/v3beta/log/${id}/import`, {
    method: 'POST',
    headers: { 'x-api-key': token, 'content-type': 'application/x-ndjson' },
    body: lines.join('\n')
  })
  assert.equal(answer.status, 200, await answer.text())
}

test(`${ROUNDS} times under load: a backup, kill -9, restore; every value acknowledged before the backup is there once`, async () => {
  const directory = temporaryDirectory()
  const backups = join(directory, 'backups')
  let dataDir = join(directory, 'data 0')
  let caracal = await startCaracal({ CARACAL_DATA_DIR: dataDir, ...admin })
  const { token, id, client_id } = await createInstallation(caracal, 'Drill')
  const imported = `${client_id}/obj/imported`
  await importValues(caracal.url, token, id, imported)

  for (let round = 1; round <= ROUNDS; round++) {
    const devices = Array.from(
      { length: CLIENTS },
      (_, i) => new SteadyDevice(`${client_id}/obj/round${round}/d${i}`)
    )
    await Promise.all(devices.map((device) => device.run(caracal.mqttPort, token)))
    await wait(200 + Math.random() * 1500)
    await eventually(() => assert(devices.every((device) => device.acknowledged.size > 10)), 60_000)
    const before = devices.map((device) => new Set(device.acknowledged))
    const env = { CARACAL_DATA_DIR: dataDir }
    const { code, out, err } = await runCaracal(env, ['backup', backups, '--json'])
    assert.equal(code, 0, out + err)
    await wait(Math.random() * 300)
    await caracal.kill('SIGKILL')
    for (const device of devices) device.end()

    dataDir = join(directory, `data ${round}`)
    const restored = await runCaracal({}, ['restore', backups, '--to', dataDir])
    assert.equal(restored.code, 0, restored.out + restored.err)
    caracal = await startCaracal({ CARACAL_DATA_DIR: dataDir })
    for (const [i, device] of devices.entries()) {
      const wanted = before[i] ?? new Set()
      await eventually(async () => {
        const found = await readAll(caracal.url, token, id, device.topic)
        const values = new Set(found)
        assert.equal(values.size, found.length, 'no value is there twice')
        const lost = [...wanted].filter((value) => !values.has(value))
        assert.equal(lost.length, 0, `${device.topic} lost ${lost.slice(0, 5)}`)
        for (const value of found) assert(value <= device.sent)
      }, 15_000)
    }
    assert.equal((await readAll(caracal.url, token, id, imported)).length, IMPORTED)
  }
  assert.equal(await caracal.kill('SIGTERM'), 0)
})

test(`${KILLS} times kill -9 during a backup leaves no half backup, and the next one works`, async () => {
  const directory = temporaryDirectory()
  const backups = join(directory, 'backups')
  const env = { CARACAL_DATA_DIR: join(directory, 'data'), ...admin }
  let caracal = await startCaracal(env)
  const { token, id, client_id } = await createInstallation(caracal, 'Drill')
  for (let i = 0; i < 4; i++) {
    await importValues(caracal.url, token, id, `${client_id}/obj/imported${i}`)
  }
  for (let round = 0; round < KILLS; round++) {
    const backup = runCaracal({ CARACAL_DATA_DIR: env.CARACAL_DATA_DIR }, ['backup', backups])
    let isOver = false
    void backup.then(() => {
      isOver = true
    })
    // The command itself takes a while to start. A short backup may end between two looks.
    await eventually(() => {
      const names = existsSync(backups) ? readdirSync(backups) : []
      assert(isOver || names.some((name) => name.startsWith('.partial')))
    })
    await wait(Math.random() * 150)
    await caracal.kill('SIGKILL')
    const told = await backup
    if (told.code !== 0)
      assert.match(told.err, /^caracal: the running Caracal (ended before|did not answer)/)
    for (const name of readdirSync(backups).filter(isComplete)) {
      const { code, out } = await runCaracal({}, ['verify', join(backups, name)])
      assert.equal(code, 0, out)
    }
    caracal = await startCaracal(env)
    assert(!existsSync(join(env.CARACAL_DATA_DIR, 'backup.staging')), 'the start lets files go')
  }
  const before = readdirSync(backups).filter(isComplete).length
  const last = await runCaracal({ CARACAL_DATA_DIR: env.CARACAL_DATA_DIR }, ['backup', backups])
  assert.equal(last.code, 0, last.out + last.err)
  const names = readdirSync(backups)
  assert.equal(names.filter(isComplete).length, before + 1)
  assert.deepEqual(
    names.filter((name) => name.startsWith('.') && name !== '.lock'),
    []
  )
  const { code, out } = await runCaracal({}, ['verify', backups])
  assert.equal(code, 0, out)
  await caracal.kill('SIGTERM')
})
