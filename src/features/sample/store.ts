import { setTimeout as wait } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import {
  type ApiError,
  badRequest,
  conflict,
  diskFull,
  forbidden,
  notFound,
  tooManyValues
} from '../../http/errors.ts'
import { plainNumber } from '../../lib/json-number.ts'
import { Turns } from '../../lib/turns.ts'
import { SECOND, toSeconds } from '../../lib/unix-time.ts'
import { excessText } from '../../quota/meter.ts'
import type { InstallationRef } from '../../registry/installations.ts'
import type { GroupRefusal, TopicReading } from '../../samples/together.ts'
import type { SampleDeps } from './deps.ts'

/** Of one request at a time, so that they do not fill the memory. */
const MESSAGES_AT_ONCE = 100
/** A caller who sends too fast gets its answer after this time, and keeps its place meanwhile. */
const SLOW_DOWN_MS = SECOND / 10
const MAX_RETRY_AFTER_S = 600

/** Where values go that came over HTTP: to history, then to the subscribers. */
export class Store {
  readonly #deps: Deps & SampleDeps

  constructor(deps: Deps & SampleDeps) {
    this.#deps = deps
  }

  /** Stores all of them or none. `nameOf` names a sample in the answer to the caller. */
  async keep(
    installation: InstallationRef,
    readings: readonly TopicReading[],
    nameOf: (at: number) => string
  ): Promise<void> {
    const { ingest } = this.#deps
    const { id: installation_id } = installation
    const messages = readings.length
    const refusal = await ingest.acceptTogether({
      ...{ installation_id, readings, messages, waitsForDisk: false }
    })
    if (refusal) throw await this.#refuse(refusal, { installation, messages, nameOf })
    await this.#publish(installation, readings)
  }

  /** It is counted as a refused message. The ledger does not have it, because the caller is told. */
  async #refuse(
    { reason, excess, at }: GroupRefusal,
    of: { installation: InstallationRef; messages: number; nameOf: (at: number) => string }
  ): Promise<ApiError> {
    const { meter, metrics } = this.#deps
    const { installation, messages, nameOf } = of
    metrics.refused(reason)
    if (excess) {
      meter.note(excess)
      const text = excessText(excess, { kind: 'installation', id: installation.id })
      if (excess.quota !== 'messages_per_second') return conflict(text)
      const seconds = Math.ceil(excess.account.secondsUntilMessages(messages))
      await wait(SLOW_DOWN_MS)
      return tooManyValues(text, Math.max(1, Math.min(seconds, MAX_RETRY_AFTER_S)))
    }
    if (reason === 'disk reserve') return diskFull()
    if (reason === 'unknown client id') return notFound()
    if (reason === 'blacklisted') return badRequest(`${nameOf(at)} is on the blacklist`)
    return forbidden()
  }

  /** What cannot be published is stored nevertheless, and that is what the answer says. */
  async #publish(installation: InstallationRef, readings: readonly TopicReading[]): Promise<void> {
    const { bus, accounts, log } = this.#deps
    const { tenant } = accounts.placeOf(installation)
    const options = { qos: 1, isStored: true, tenant } as const
    const turns = new Turns()
    try {
      for (let start = 0; start < readings.length; start += MESSAGES_AT_ONCE) {
        const some = readings.slice(start, start + MESSAGES_AT_ONCE)
        await Promise.all(some.map((one) => bus.publish(one.topic, payloadOf(one), options)))
        if (turns.isLate()) await turns.next()
      }
    } catch (err) {
      log.warn({ err, installation: installation.id }, 'values are stored, but not published')
    }
  }
}

const payloadOf = ({ value, timestamp, msg }: TopicReading): string => {
  const text = `{"value":${plainNumber(value)},"timestamp":${toSeconds(timestamp)}`
  return msg === '' ? `${text},"msg":""}` : `${text},"msg":${JSON.stringify(msg)}}`
}
