import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { answerWith } from '../child.ts'
import { spreadOf } from '../figures.ts'
import { coresBetween, cpuSecondsByPid } from '../machine.ts'
import { connectPacket, type Level, Pubacks, Publish } from './mqtt-packets.ts'

export type Load = {
  port: number
  serverPid: number
  password: string
  /** The topics of each client. */
  topics: string[][]
  level: Level
  warmMs: number
  measureMs: number
  /** Closed: each client has this many unacknowledged messages. Open: all together send this many per second. */
  pace: { inFlight: number } | { perSecond: number }
}

export type LoadResult = {
  /** Acknowledgements per second during the measured time. */
  perSecond: number
  /** Over the whole load, including the warm-up. Everything that was sent was acknowledged. */
  acknowledged: number
  /** In ms, from the time when a message was due; only with an open pace. */
  latency: { mean: number; p50: number; p99: number; max: number } | undefined
  /** Busy cores during the measured time. Neither side could use the cores of `others`. */
  cores: { server: number; load: number; others: number }
}

const PACKET_IDS = 65_535
const HOUR_MS = 3_600_000

type Listeners = {
  onAcknowledged: (client: Client, dueAt: readonly number[]) => void
  onClosed: () => void
}

class Client {
  readonly #socket: Socket
  readonly #publishes: Publish[]
  readonly #firstTimestamp: number
  readonly #dueAt = new Float64Array(PACKET_IDS + 1)
  sent = 0
  acknowledged = 0

  static async open(
    { port, password, level }: Load,
    id: string,
    topics: string[],
    { onAcknowledged, onClosed }: Listeners
  ): Promise<Client> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    socket.write(connectPacket(id, { username: 'bench', password, level }))
    const [connack] = await once(socket, 'data')
    if (connack[3] !== 0) throw new Error(`CONNECT refused with ${connack[3]}`)
    const publishes = topics.map((topic) => new Publish(topic, level))
    return new Client(socket, publishes, { onAcknowledged, onClosed })
  }

  private constructor(
    socket: Socket,
    publishes: Publish[],
    { onAcknowledged, onClosed }: Listeners
  ) {
    this.#socket = socket
    this.#publishes = publishes
    // All samples of a topic are different, because equal ones would be stored once.
    this.#firstTimestamp = Date.now() - HOUR_MS
    const pubacks = new Pubacks()
    socket.on('data', (chunk) => {
      const due = pubacks.idsIn(chunk).map((id) => this.#dueAt[id] ?? 0)
      this.acknowledged += due.length
      onAcknowledged(this, due)
    })
    socket.on('error', () => {}) // 'close' comes after it
    socket.once('close', onClosed)
  }

  /** Writes messages that are due together at once. `dueAt(n)` is the time of the n-th of them. */
  send(count: number, dueAt: (index: number) => number): void {
    let length = 0
    for (let i = 0; i < count; i++) length += this.#publishAt(this.sent + i).length
    const bytes = Buffer.allocUnsafe(length)
    let at = 0
    for (let i = 0; i < count; i++) {
      const publish = this.#publishAt(this.sent)
      const id = (this.sent % PACKET_IDS) + 1
      const unixMs = this.#firstTimestamp + Math.floor(this.sent / this.#publishes.length)
      publish.write(bytes, at, { id, tenths: this.sent % 100, unixMs })
      at += publish.length
      this.#dueAt[id] = dueAt(i)
      this.sent++
    }
    this.#socket.write(bytes)
  }

  close(): void {
    this.#socket.removeAllListeners('close')
    this.#socket.destroy()
  }

  #publishAt(index: number): Publish {
    const publish = this.#publishes[index % this.#publishes.length]
    if (!publish) throw new Error('a client without topics')
    return publish
  }
}

function run(load: Load): Promise<LoadResult> {
  const { promise: lost, reject } = Promise.withResolvers<never>()
  const onClosed = () => reject(new Error('the broker closed a connection'))
  return Promise.race([lost, apply(load, onClosed)])
}

async function apply(load: Load, onClosed: () => void): Promise<LoadResult> {
  const { warmMs, measureMs, pace, serverPid } = load
  let isSending = true
  let isMeasuring = false
  let acknowledged = 0
  let measureFrom = Number.POSITIVE_INFINITY
  let measureTo = Number.POSITIVE_INFINITY
  const latencies: number[] = []

  const onAcknowledged = (client: Client, dueAt: readonly number[]) => {
    if (isMeasuring) acknowledged += dueAt.length
    if ('inFlight' in pace) {
      if (isSending) client.send(dueAt.length, () => 0)
      return
    }
    const now = performance.now()
    for (const due of dueAt) {
      if (due >= measureFrom && due < measureTo) latencies.push(now - due)
    }
  }
  const clients = await Promise.all(
    load.topics.map((topics, i) =>
      Client.open(load, `bench-${i}`, topics, { onAcknowledged, onClosed })
    )
  )

  const start = performance.now()
  measureFrom = start + warmMs
  measureTo = measureFrom + measureMs
  if ('inFlight' in pace) for (const client of clients) client.send(pace.inFlight, () => 0)
  else void sendOnTime(clients, pace.perSecond, { start, end: measureTo })

  await wait(warmMs)
  cpuSecondsByPid() // so that it is compiled before it is used
  const cpuBefore = cpuSecondsByPid()
  const from = performance.now()
  isMeasuring = true
  await wait(measureMs)
  isMeasuring = false
  const seconds = (performance.now() - from) / 1000
  const cpuAfter = cpuSecondsByPid()
  isSending = false

  const sum = (field: 'sent' | 'acknowledged') =>
    clients.reduce((total, client) => total + client[field], 0)
  const giveUp = performance.now() + 30_000
  while (sum('acknowledged') < sum('sent')) {
    if (performance.now() > giveUp) throw new Error('messages were never acknowledged')
    await wait(20)
  }
  for (const client of clients) client.close()
  const pids = [serverPid, process.pid]
  const { named, others } = coresBetween(cpuBefore, cpuAfter, seconds, pids)
  const [server = 0, ours = 0] = named
  const rising = Float64Array.from(latencies).sort()
  return {
    perSecond: acknowledged / seconds,
    acknowledged: sum('acknowledged'),
    latency: rising.length === 0 ? undefined : spreadOf(rising),
    cores: { server, load: ours, others }
  }
}

/** Every message has its own time, whatever happened to those before it. */
async function sendOnTime(
  clients: Client[],
  perSecond: number,
  { start, end }: { start: number; end: number }
): Promise<void> {
  const interval = (1000 * clients.length) / perSecond
  const phase = (index: number) => start + (index * interval) / clients.length
  for (let now = start; now < end; now = performance.now()) {
    clients.forEach((client, index) => {
      const first = phase(index)
      const due = now < first ? 0 : Math.floor((now - first) / interval) + 1
      const { sent } = client
      if (due > sent) client.send(due - sent, (i) => first + (sent + i) * interval)
    })
    await wait(1)
  }
}

answerWith(run)
