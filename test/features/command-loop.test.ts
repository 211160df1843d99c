import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { Commands } from '../../src/features/command/commands.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { startBus } from '../support/bus.ts'
import { eventually } from '../support/eventually.ts'
import { longestRound } from '../support/loop.ts'
import { mqttClient } from '../support/mqtt.ts'

/** Whatever commands do, others wait no longer than this. */
const MOST_MS = 20
/** More than a node lets wait. */
const COMMANDS = 3000
const PER_ROUND = 20
const TIMEOUT_MS = 3000

test(`${COMMANDS} commands that wait, end together or stop hold up nobody`, async (t) => {
  const { bus, port } = await startBus(t)
  const device = await mqttClient(t, port, { protocolVersion: 5, username: 'device' })
  let isAnswering = false
  device.mqtt.on('message', (_topic, _payload, { properties = {} }) => {
    const { responseTopic = '', correlationData } = properties
    if (!isAnswering || !correlationData) return
    device.mqtt.publish(responseTopic, 'ok', { properties: { correlationData } })
  })
  await device.subscribe('1/set/#', 0)
  let commands = new Commands({ bus, clock: systemClock })
  /** What becomes of each. They come a few at a time, as requests do. */
  const begin = async (timeoutMs: number) => {
    const outcomes: Promise<string>[] = []
    for (let i = 0; i < COMMANDS; i++) {
      const topics = { topic: '1/set/x', responseTopic: `1/answer/${i}` }
      const command = { ...topics, payload: 'x', timeoutMs, options: { qos: 0 } } as const
      const { signal } = new AbortController()
      const caller = { installationId: i, owner: `user:${i}`, onSent() {}, signal }
      const sent = commands.send({ ...command }, caller)
      outcomes.push(
        sent.then(
          ({ payload }) => payload.toString(),
          ({ message }: Error) => message
        )
      )
      if (i % PER_ROUND === PER_ROUND - 1) await nextRound()
    }
    return outcomes
  }
  const allAre = async (outcomes: Promise<string>[], wanted: string) => {
    assert.deepEqual(new Set(await Promise.all(outcomes)), new Set([wanted]))
    assert.equal(commands.waiting, 0)
  }
  const late = await longestRound(MOST_MS, async () =>
    allAre(await begin(TIMEOUT_MS), `No answer within ${TIMEOUT_MS / 1000} s`)
  )
  isAnswering = true
  const answered = await longestRound(MOST_MS, async () => allAre(await begin(60_000), 'ok'))
  isAnswering = false
  const stopped = await longestRound(MOST_MS, async () => {
    commands = new Commands({ bus, clock: systemClock })
    const outcomes = await begin(60_000)
    await eventually(() => assert.equal(commands.waiting, COMMANDS))
    commands.stop()
    await allAre(outcomes, 'The server stops')
  })
  t.diagnostic(`late ${late} ms, answered ${answered} ms, stopped ${stopped} ms`)
  assert(Math.max(late, answered, stopped) < MOST_MS, `${late}, ${answered}, ${stopped}`)
})
