import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connectAsync } from 'mqtt'
import { eventually } from '../support/eventually.ts'
import { startExecutor } from '../support/executor.ts'
import {
  type Caracal,
  createInstallation,
  startCaracal,
  temporaryDirectory
} from '../support/process.ts'
import { rounds } from '../support/rounds.ts'

/** All rounds with CI=true. */
const ROUNDS = rounds(10, 2)
/** A first message takes up to so long, so a kill hits every step of it. */
const LONGEST_PAUSE_MS = 6000

type Alarm = { id: number; topic: string }

test(`after ${ROUNDS} times kill -9 every alarm was told, and few were told twice`, async (t) => {
  const hook = await startExecutor()
  t.after(() => hook.stop())
  const CARACAL_DATA_DIR = temporaryDirectory()
  const start = () =>
    startCaracal({
      CARACAL_DATA_DIR,
      CARACAL_ADMIN_EMAIL: 'boss@example.org',
      CARACAL_ADMIN_PASSWORD: 'correct horse battery',
      CARACAL_NOTIFY_PRIVATE_NETWORKS: '127.0.0.1'
    })
  let caracal: Caracal = await start()
  const { token, id, client_id } = await createInstallation(caracal, 'Under fire')
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${caracal.url}/api/v2/${path}`, {
      ...{ method, headers: { 'x-api-key': token } },
      ...(body && { body: JSON.stringify(body) })
    })
    assert.equal(answer.status, 200, path)
    return answer.json()
  }
  const settings = { severities: ['warning'], channels: ['webhook'], webhook: hook.url }
  await ask('PUT', 'user/me/alarm', settings)
  const topics: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const topic = `obj/round${round}`
    topics.push(`${client_id}/${topic}`)
    // A rule of its own: what follows an alarm of the same rule is held.
    await ask('POST', `rule/${id}`, { on: { topics: [topic] }, when: { above: 1 } })
    const client = await connectAsync(`mqtt://127.0.0.1:${caracal.mqttPort}`, {
      ...{ username: 'device', password: token, reconnectPeriod: 0 }
    })
    client.on('error', () => {})
    await client.publishAsync(`${client_id}/${topic}`, '2', { qos: 1 })
    await wait(Math.random() * LONGEST_PAUSE_MS)
    await caracal.kill('SIGKILL')
    client.end(true)
    caracal = await start()
  }
  await eventually(async () => {
    const alarms = (await ask('GET', `alarm/${id}`)) as Alarm[]
    const ofRules = alarms.filter(({ topic }) => topic.includes('/round'))
    assert.deepEqual(ofRules.map(({ topic }) => topic).sort(), topics.sort())
    const posts = hook.received.map(({ body }) => JSON.parse(body).alarms as Alarm[])
    const told = posts.flat().map((alarm) => alarm.id)
    for (const alarm of ofRules) assert(told.includes(alarm.id), `${alarm.topic} was not told`)
    // Only a message that was under way at a kill may come again.
    assert(posts.length <= 2 * ROUNDS, `${posts.length} messages`)
    for (const alarm of ofRules) {
      const [delivery] = (await ask('GET', `alarm/${id}/${alarm.id}/delivery`)) as {
        result: string
      }[]
      assert.equal(delivery?.result, 'sent')
    }
  }, 60_000)
  await caracal.kill('SIGTERM')
})
