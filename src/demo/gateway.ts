import type { FastifyBaseLogger } from 'fastify'
import { connect, type MqttClient } from 'mqtt'
import type { Clock } from '../lib/clock.ts'
import { SECOND, toSeconds } from '../lib/unix-time.ts'
import type { DemoTopic } from './sites.ts'

type Parts = {
  host: string
  port: number
  login: { email: string; password: string }
  /** With client id. */
  topics: readonly DemoTopic[]
  clock: Clock
  log: FastifyBaseLogger
}

/** Every topic once in this time, one after the other. */
const ROUND = 5 * SECOND
const RECONNECT_AFTER = 2 * SECOND
/** [MQTT 3.2.2.3] bad user name or password; not authorized. */
const REFUSED: readonly unknown[] = [4, 5]

/** Publishes the topics of one installation as a real gateway would, from `start` to `stop`. */
export class DemoGateway {
  readonly #parts: Parts
  #client: MqttClient | undefined
  #timer: NodeJS.Timeout | undefined
  #next = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  start(): void {
    const { host, port, login, topics, log } = this.#parts
    const client = connect({
      protocol: 'mqtt',
      protocolVersion: 4,
      host,
      port,
      username: login.email,
      password: login.password,
      reconnectPeriod: RECONNECT_AFTER
    })
    client.on('error', (err) => {
      log.warn({ err }, 'the demo cannot publish')
      // Trying on with a password that somebody changed would lock the address out of signing in.
      if ('code' in err && REFUSED.includes(err.code)) void this.stop()
    })
    this.#client = client
    this.#timer = setInterval(() => this.#publishNext(), ROUND / topics.length)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#client?.endAsync(true)
  }

  #publishNext(): void {
    const { topics, clock } = this.#parts
    const topic = topics[this.#next % topics.length]
    // What a device could not send while it was away is not made up for: the next value is newer.
    if (!topic || !this.#client?.connected) return
    this.#next++
    const now = clock()
    const payload = JSON.stringify({ value: topic.valueAt(now), timestamp: toSeconds(now) })
    this.#client.publish(topic.topic, payload, { qos: 1 }, () => {})
  }
}
