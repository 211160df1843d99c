import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import {
  type Caracal,
  createInstallation,
  startCaracal,
  temporaryDirectory
} from '../support/process.ts'
import { rounds } from '../support/rounds.ts'
import { SteadyDevice } from '../support/steady-device.ts'

/** All rounds with CI=true. */
const ROUNDS = rounds(20, 2)
const CLIENTS = 6

type Page = { total: number; data: { value: number; timestamp: number; topic: string }[] }

test(`every acknowledged sample is stored exactly once after ${ROUNDS} times kill -9 under load`, async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const start = () =>
    startCaracal({
      CARACAL_DATA_DIR,
      CARACAL_ADMIN_EMAIL: 'boss@example.org',
      CARACAL_ADMIN_PASSWORD: 'correct horse battery'
    })
  let caracal: Caracal = await start()
  const { token, id, client_id } = await createInstallation(caracal, 'Under fire')
  const devices = Array.from(
    { length: CLIENTS },
    (_, i) => new SteadyDevice(`${client_id}/obj/d${i}`)
  )

  const acknowledged = () => devices.reduce((sum, device) => sum + device.acknowledged.size, 0)
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(devices.map((device) => device.run(caracal.mqttPort, token)))
    const before = acknowledged()
    await wait(50 + Math.random() * 500)
    await eventually(() => assert(acknowledged() > before + CLIENTS), 60_000)
    await caracal.kill('SIGKILL')
    for (const device of devices) device.end()
    caracal = await start()
  }

  const read = async (query: string): Promise<Page> => {
    const url = `${caracal.url}/api/v3beta/log/${id}?from=0&order=asc&${query}`
    return (await (await fetch(url, { headers: { 'x-api-key': token } })).json()) as Page
  }
  for (const device of devices) {
    await eventually(async () => {
      const found = await readAll(read, device.topic)
      const values = new Set(found)
      assert.equal(values.size, found.length, 'no value is there twice')
      for (const value of device.acknowledged) {
        assert(values.has(value), `${device.topic} lost ${value}, which was acknowledged`)
      }
      for (const value of found) assert(value <= device.sent)
    }, 15_000)
  }
  const status = await fetch(`${caracal.url}/api/v2/status/${id}`, {
    headers: { 'x-api-key': token }
  })
  for (const { topic, value } of (await status.json()) as { topic: string; value: number }[]) {
    const device = devices.find((one) => one.topic === topic)
    assert(device && value >= Math.max(...device.acknowledged), `${topic} shows an old value`)
  }
  assert.equal(await caracal.kill('SIGTERM'), 0)
})

async function readAll(read: (query: string) => Promise<Page>, topic: string): Promise<number[]> {
  const values: number[] = []
  for (;;) {
    const page = await read(`topics=${topic}&limit=100000&offset=${values.length}`)
    values.push(...page.data.map(({ value }) => value))
    if (page.data.length === 0 || values.length >= page.total) return values
  }
}
