import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { answerWith } from '../child.ts'
import { coresBetween, cpuSecondsByPid } from '../machine.ts'
import type { LoadResult } from './mqtt-load.ts'

export type SampleForm = 'JSON' | 'line protocol'

export type SampleLoad = {
  url: string
  serverPid: number
  token: string
  /** Each has its own connection, which sends one request after the other. */
  installations: { id: number; client_id: number }[]
  form: SampleForm
  /** Values in a request, of so many topics. */
  batch: number
  topics: number
  /** Of the first value in milliseconds. Each round needs its own times. */
  from: number
  warmMs: number
  measureMs: number
}

/** Requests of one installation. All values of a topic are different, as equal ones are stored once. */
class Sender {
  readonly #load: SampleLoad
  readonly #path: string
  readonly #begins: string[]
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  #sent = 0

  constructor(load: SampleLoad, { id }: { id: number }) {
    const isJson = load.form === 'JSON'
    this.#load = load
    this.#path = isJson ? `/api/v3beta/sample/${id}` : `/api/v2/write?bucket=${id}&precision=ms`
    this.#begins = Array.from({ length: load.topics }, (_, i) =>
      isJson
        ? `{"topic":"obj/temperature/room_${i}/mean","value":`
        : `temperature,room=room_${i} mean=`
    )
  }

  body(): string {
    const { form, batch, from } = this.#load
    const begins = this.#begins
    const texts: string[] = []
    for (let i = 0; i < batch; i++, this.#sent++) {
      const begin = begins[i % begins.length]
      const at = from + Math.floor(this.#sent / begins.length)
      const value = 20 + (this.#sent % 100) / 10
      texts.push(
        form === 'JSON' ? `${begin}${value},"timestamp":${at / 1000}}` : `${begin}${value} ${at}`
      )
    }
    return form === 'JSON' ? `[${texts.join()}]` : texts.join('\n')
  }

  /** Resolves when it is answered with 204. */
  send(): Promise<void> {
    const { url, token } = this.#load
    const body = this.body()
    return new Promise((resolve, reject) => {
      const sending = request(
        url + this.#path,
        {
          method: 'POST',
          agent: this.#agent,
          headers: { 'x-api-key': token, 'content-length': Buffer.byteLength(body) }
        },
        (response) => {
          response.resume()
          const { statusCode } = response
          if (statusCode === 204) response.once('end', resolve)
          else reject(new Error(`${this.#path}: ${statusCode}`))
        }
      )
      sending.once('error', reject)
      sending.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

async function run(load: SampleLoad): Promise<LoadResult> {
  const { installations, batch, warmMs, measureMs, serverPid } = load
  const senders = installations.map((installation) => new Sender(load, installation))
  let isSending = true
  let acknowledged = 0
  const sending = Promise.all(
    senders.map(async (sender) => {
      while (isSending) {
        await sender.send()
        acknowledged += batch
      }
    })
  )
  await Promise.race([wait(warmMs), sending])
  cpuSecondsByPid() // so that it is compiled before it is used
  const cpuBefore = cpuSecondsByPid()
  const [from, before] = [performance.now(), acknowledged]
  await Promise.race([wait(measureMs), sending])
  const seconds = (performance.now() - from) / 1000
  const perSecond = (acknowledged - before) / seconds
  const cpuAfter = cpuSecondsByPid()
  isSending = false
  await sending
  for (const sender of senders) sender.close()
  const { named, others } = coresBetween(cpuBefore, cpuAfter, seconds, [serverPid, process.pid])
  const [server = 0, ours = 0] = named
  return { perSecond, acknowledged, latency: undefined, cores: { server, load: ours, others } }
}

answerWith(run)
