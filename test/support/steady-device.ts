import { once } from 'node:events'
import { connect, type MqttClient } from 'mqtt'

const IN_FLIGHT = 50

/** Publishes growing values with timestamps, and sends again what is not acknowledged. */
export class SteadyDevice {
  readonly topic: string
  readonly acknowledged = new Set<number>()
  readonly #unsure = new Set<number>()
  #next = 1
  #client: MqttClient | undefined

  constructor(topic: string) {
    this.topic = topic
  }

  async run(port: number, password: string): Promise<void> {
    const client = connect(`mqtt://127.0.0.1:${port}`, {
      username: 'device',
      password,
      reconnectPeriod: 0
    })
    this.#client = client
    client.on('error', () => {})
    await once(client as never, 'connect')
    for (const value of this.#unsure) this.#send(value)
    for (let i = this.#unsure.size; i < IN_FLIGHT; i++) this.#send(this.#next++)
  }

  #send(value: number): void {
    const client = this.#client
    this.#unsure.add(value)
    const reading = JSON.stringify({ value, timestamp: 1_700_000_000 + value / 1000 })
    client?.publish(this.topic, reading, { qos: 1 }, (error) => {
      if (error) return
      this.#unsure.delete(value)
      this.acknowledged.add(value)
      if (client.connected) this.#send(this.#next++)
    })
  }

  /** The newest value that was sent. Nothing greater may be found. */
  get sent(): number {
    return this.#next - 1
  }

  end(): void {
    this.#client?.end(true)
  }
}
