import type { FastifyBaseLogger } from 'fastify'
import { connect, type IPublishPacket, type MqttClient } from 'mqtt'
import { mqttClientIdOf } from '../identity/gateway.ts'
import type { Clock } from '../lib/clock.ts'
import { MINUTE, SECOND, toSeconds } from '../lib/unix-time.ts'
import type { DemoActuator } from './actuators.ts'
import type { DemoTopic } from './sites.ts'

type Parts = {
  host: string
  port: number
  login: { email: string; password: string }
  /** Full topics, with the client id. */
  topics: readonly DemoTopic[]
  actuators: readonly DemoActuator[]
  client_id: number
  clock: Clock
  log: FastifyBaseLogger
}

/** Every topic is sent once in this time, one after another. */
const ROUND_MS = 5 * SECOND
/** Actuators report so often, and when they change. */
const REPORT_MS = MINUTE
const RECONNECT_AFTER_MS = 2 * SECOND
/** [MQTT5 3.2.2.2] Bad user name or password; not authorized. */
const REFUSED_CODES: readonly unknown[] = [0x86, 0x87]

/**
 * Publishes the topics of one installation like a real gateway, from `start` to `stop`, and answers
 * commands.
 */
export class DemoGateway {
  readonly #parts: Parts
  #client: MqttClient | undefined
  readonly #timers = new Set<NodeJS.Timeout>()
  /** What the actuators are set to, by their topic. */
  readonly #states = new Map<string, number>()
  #next = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  start(): void {
    const { host, port, login, client_id, topics, actuators, log } = this.#parts
    const client = connect({
      protocol: 'mqtt',
      protocolVersion: 5,
      host,
      port,
      username: login.email,
      password: login.password,
      clientId: mqttClientIdOf(client_id),
      reconnectPeriod: RECONNECT_AFTER_MS
    })
    client.on('error', (err) => {
      log.warn({ err }, 'the demo cannot publish')
      // With a changed password, more tries would lock this address out of signing in.
      if ('code' in err && REFUSED_CODES.includes(err.code)) void this.stop()
    })
    const report = () => {
      for (const actuator of actuators) this.#report(actuator)
    }
    client.on('connect', () => {
      report()
      this.#publishBroken()
      client.subscribe(`${client_id}/set/#`, { qos: 1 })
    })
    client.on('message', (topic, payload, packet) => this.#obey(topic, payload, packet))
    this.#client = client
    this.#timers.add(setInterval(() => this.#publishNext(), ROUND_MS / topics.length))
    this.#timers.add(setInterval(report, REPORT_MS))
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await this.#client?.endAsync(true)
  }

  #publishNext(): void {
    const { topics, clock } = this.#parts
    const topic = topics[this.#next % topics.length]
    // Values that were missed while disconnected are not sent later.
    if (!topic || !this.#client?.connected) return
    this.#next++
    this.#publish(topic.topic, topic.valueAt(clock()))
  }

  /** An old meter without a reading, for the list of refused messages. */
  #publishBroken(): void {
    const topic = `${this.#parts.client_id}/obj/old_meter/power`
    this.#client?.publish(topic, '{"value":"n/a"}', { qos: 1 }, () => {})
  }

  /** A command sets the actuator of its topic, which answers after its delay. */
  #obey(topic: string, payload: Buffer, { properties }: IPublishPacket): void {
    const { client_id, actuators } = this.#parts
    const actuator = actuators.find((one) => topic === `${client_id}/${one.topic_write}`)
    const value = numberIn(payload)
    if (!actuator || actuator.answersAfterMs === undefined || value === undefined) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.#states.set(actuator.topic_read, value)
      this.#report(actuator)
      this.#answer(value, properties)
    }, actuator.answersAfterMs)
    this.#timers.add(timer)
  }

  /** [ADR-0067] Whoever waits for an answer says where. */
  #answer(
    value: number,
    { responseTopic, correlationData }: IPublishPacket['properties'] = {}
  ): void {
    if (responseTopic === undefined) return
    const properties = correlationData ? { correlationData } : {}
    this.#client?.publish(
      responseTopic,
      JSON.stringify({ value }),
      { qos: 1, properties },
      () => {}
    )
  }

  #report({ topic_read, first, answersAfterMs }: DemoActuator): void {
    if (answersAfterMs === undefined || !this.#client?.connected) return
    const topic = `${this.#parts.client_id}/${topic_read}`
    this.#publish(topic, this.#states.get(topic_read) ?? first)
  }

  #publish(topic: string, value: number): void {
    const payload = JSON.stringify({ value, timestamp: toSeconds(this.#parts.clock()) })
    this.#client?.publish(topic, payload, { qos: 1 }, () => {})
  }
}

function numberIn(payload: Buffer): number | undefined {
  try {
    const { value } = JSON.parse(payload.toString())
    return Number.isFinite(value) ? value : undefined
  } catch {
    return undefined
  }
}
