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
const ROUNDS = rounds(10, 2)
const CLIENTS = 3
const VALUES = 20

type Page = { total: number; data: { value: number; topic: string }[] }

test(`after ${ROUNDS} times kill -9 a message of ${VALUES} values has left all of them or none`, async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const start = () =>
    startCaracal({
      CARACAL_DATA_DIR,
      CARACAL_ADMIN_EMAIL: 'boss@example.org',
      CARACAL_ADMIN_PASSWORD: 'correct horse battery'
    })
  let caracal: Caracal = await start()
  const { token, id, client_id } = await createInstallation(caracal, 'Under fire')
  const headers = { 'x-api-key': token }
  const timestamp = { path: 'timestamp', format: 's' }
  const mapping = {
    filter: 'dev/#',
    create_missing: true,
    values: Array.from({ length: VALUES }, (_, i) => ({
      ...{ path: 'value', topic: `obj/{2}/${i}`, timestamp, offset: i }
    }))
  }
  const made = await fetch(`${caracal.url}/api/v2/mapping/${id}`, {
    ...{ method: 'POST', headers, body: JSON.stringify(mapping) }
  })
  assert.equal(made.status, 200)
  const devices = Array.from(
    { length: CLIENTS },
    (_, i) => new SteadyDevice(`${client_id}/dev/d${i}`)
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
  const read = async (topic: string): Promise<number[]> => {
    const values: number[] = []
    for (;;) {
      const query = `from=0&order=asc&limit=100000&offset=${values.length}&topics=${topic}`
      const answer = await fetch(`${caracal.url}/api/v3beta/log/${id}?${query}`, { headers })
      const page = (await answer.json()) as Page
      values.push(...page.data.map(({ value }) => value))
      if (page.data.length === 0 || values.length >= page.total) return values
    }
  }
  for (const device of devices) {
    const topic = device.topic.replace('/dev/', '/obj/')
    await eventually(async () => {
      const first = await read(`${topic}/0`)
      const messages = new Set(first)
      assert.equal(messages.size, first.length, 'no value is there twice')
      for (const value of device.acknowledged) {
        assert(messages.has(value), `${topic} lost ${value}, which was acknowledged`)
      }
      for (let i = 1; i < VALUES; i++) {
        const values = (await read(`${topic}/${i}`)).map((value) => value - i)
        assert.deepEqual(values, first, `value ${i} of each message is there as well`)
      }
    }, 15_000)
  }
  // What a kill kept from being made, the next values make.
  await Promise.all(devices.map((device) => device.run(caracal.mqttPort, token)))
  await eventually(async () => {
    const functions = await fetch(`${caracal.url}/api/v2/functionx/${id}`, { headers })
    const shown = (await functions.json()) as { meta: { topic_read: string } }[]
    assert.equal(shown.length, CLIENTS * VALUES)
    assert.equal(new Set(shown.map(({ meta }) => meta.topic_read)).size, CLIENTS * VALUES)
  })
  for (const device of devices) device.end()
  assert.equal(await caracal.kill('SIGTERM'), 0)
})
