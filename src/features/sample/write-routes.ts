import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Deps, Routes } from '../../deps.ts'
import { ApiError, badRequest } from '../../http/errors.ts'
import { storesValues } from '../../http/traced.ts'
import { LineFault, LineProtocol, type Point } from '../../lib/line-protocol.ts'
import { isWithinTopicLimits, MAX_TOPIC_BYTES, MAX_TOPIC_LEVELS } from '../../lib/topic.ts'
import { Turns } from '../../lib/turns.ts'
import { DAY, type UnixMs } from '../../lib/unix-time.ts'
import { onBucket } from '../../permission/guard.ts'
import type { TopicReading } from '../../samples/together.ts'
import { bodyText, readBytes } from './body.ts'
import type { SampleDeps } from './deps.ts'
import { WriteFault, WriteQuery } from './schema.ts'
import { Store } from './store.ts'

/** Also of a packed body after it is unpacked. Telegraf sends a larger one again in two parts. */
const MAX_BYTES = 4 * 1024 * 1024
/** So many values are stored together, and all of the last line. */
const VALUES_PER_GROUP = 2000

/** [ADR-0064] Line protocol, as InfluxDB 2 takes it. */
export const writeRoutes: Routes<SampleDeps> = (app, deps) => {
  const { shares } = deps
  const store = new Store(deps)
  readBytes(app, MAX_BYTES)

  app.post(
    '/',
    {
      schema: {
        tags: ['Sample'],
        operationId: 'writeLines',
        faults: [404, 409, 415, 507],
        summary: 'Store values that are written as line protocol of InfluxDB 2',
        querystring: WriteQuery,
        consumes: ['text/plain'],
        response: { 204: Type.Null({ description: 'All values are stored' }), 400: WriteFault }
      },
      config: {
        access: onBucket('sample/write', 'mqtt/publish'),
        trace: storesValues,
        body: Type.String({ description: 'Line protocol; Content-Encoding: gzip is accepted' })
      }
    },
    async (request, reply) => {
      const free = await shares.take('writes of values', request, reply)
      try {
        const text = await bodyText(request, MAX_BYTES)
        await new LineRun(deps, store, request).write(text)
      } finally {
        free()
      }
      return reply.code(204).send(null)
    }
  )
}

/** The lines of one request. What comes before a line that is wrong is stored. */
class LineRun {
  readonly #deps: Deps & SampleDeps
  readonly #store: Store
  readonly #request: FastifyRequest
  readonly #now: UnixMs
  #readings: TopicReading[] = []
  /** The line of each of them. */
  #lines: number[] = []
  #stored = 0

  constructor(deps: Deps & SampleDeps, store: Store, request: FastifyRequest) {
    this.#deps = deps
    this.#store = store
    this.#request = request
    this.#now = deps.clock()
  }

  async write(text: string): Promise<void> {
    const { precision } = this.#request.query as Static<typeof WriteQuery>
    const lines = new LineProtocol(text, precision)
    const turns = new Turns()
    let fault: LineFault | undefined
    try {
      for (let point = lines.next(); point; point = lines.next()) {
        await this.#take(point)
        if (turns.isLate()) await turns.next()
      }
    } catch (error) {
      if (!(error instanceof LineFault)) throw error
      fault = error
    }
    await this.#keep()
    if (fault) throw this.#told(badRequest(`line ${fault.line} ${fault.message}`), fault.line)
  }

  async #take({ line, fields, timestamp = this.#now }: Point): Promise<void> {
    const { client_id } = this.#request.installation
    if (timestamp > this.#now + DAY) {
      throw new LineFault(line, 'has a timestamp that is more than a day ahead')
    }
    const readings: TopicReading[] = []
    for (const { topic: name, value } of fields) {
      const topic = `${client_id}/${name}`
      if (!isWithinTopicLimits(topic)) {
        const most = `${MAX_TOPIC_LEVELS} levels or ${MAX_TOPIC_BYTES} bytes`
        throw new LineFault(line, `has a topic of more than ${most}`)
      }
      if (this.#deps.blacklist.keepsOut(topic)) await this.#leaveOut(topic, value)
      else readings.push({ topic, value, timestamp, msg: '' })
    }
    for (const reading of readings) {
      this.#readings.push(reading)
      this.#lines.push(line)
    }
    if (this.#readings.length >= VALUES_PER_GROUP) await this.#keep()
  }

  /** As over MQTT: the other values of the sender are stored. */
  #leaveOut(topic: string, value: number): Promise<void> {
    const { ingest } = this.#deps
    const message = { topic, payload: Buffer.from(String(value)), qos: 1, retain: false } as const
    return ingest.refuse('blacklisted', message, this.#request.principal.owner)
  }

  async #keep(): Promise<void> {
    const [readings, lines] = [this.#readings, this.#lines]
    this.#readings = []
    this.#lines = []
    try {
      await this.#store.keep(this.#request.installation, readings, (at) => `line ${lines[at]}`)
    } catch (error) {
      throw error instanceof ApiError ? this.#told(error, lines[0] ?? 0) : error
    }
    this.#stored += readings.length
  }

  /** The same answer, with what the caller need not send again. */
  #told({ statusCode, message, headers }: ApiError, line: number): ApiError {
    return new ApiError(statusCode, message, { headers, details: { line, stored: this.#stored } })
  }
}
