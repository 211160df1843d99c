import type { MqttClient } from 'mqtt'
import { call, currentSession, onSession } from '../session/session.ts'
import { Store, useStore } from '../store.ts'

export type Connection =
  | { state: 'idle' | 'connecting' | 'live' | 'polling' }
  | { state: 'offline'; since: number }

export type Heard = (topic: string, payload: Uint8Array) => void

/** After so many failed tries before the first success, values are read by HTTP instead. */
const TRIES_BEFORE_POLLING = 2

/** [MQTT 3.2.2.3] Bad user name or password; not authorized. More tries change nothing. */
const REFUSED_CODES: readonly unknown[] = [4, 5]
const AFTER_REFUSAL_MS = 60_000

/** A connection that is cut without a word is noticed within one and a half of it. */
const KEEPALIVE_S = 20

const heard = new Map<string, Set<Heard>>()
const connection = new Store<Connection>({ state: 'idle' })
let client: MqttClient | undefined
let isOpening = false
let failures = 0
/** Subscriptions that the broker has not answered yet. */
let unanswered = 0
let retry: ReturnType<typeof setTimeout> | undefined

/** One connection of the page for everything that is live. */
async function open(): Promise<void> {
  const { token, ended } = currentSession()
  if (client || isOpening || !token || ended) return
  isOpening = true
  connection.set({ state: 'connecting' })
  const loaded = await import('mqtt').catch(() => undefined)
  isOpening = false
  if (!loaded) {
    // A newer version of the console has other files. Values are still read by HTTP.
    connection.set({ state: 'polling' })
    return
  }
  if (currentSession().token !== token) return open()
  const mqtt = loaded.default
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
  const made = mqtt.connect(`${scheme}://${location.host}/mqtt`, {
    username: 'token',
    password: token,
    protocolVersion: 4,
    timerVariant: 'native',
    keepalive: KEEPALIVE_S,
    reconnectPeriod: 2000,
    resubscribe: false
  })
  client = made
  made.on('connect', () => {
    if (client !== made) return
    failures = 0
    unanswered = 0
    hear(made, [...heard.keys()])
  })
  made.on('close', () => {
    if (client !== made) return
    failures++
    const { state } = connection.value
    if (state === 'live') connection.set({ state: 'offline', since: Date.now() })
    else if (state !== 'offline' && failures >= TRIES_BEFORE_POLLING)
      connection.set({ state: 'polling' })
  })
  // `close` follows, and tells what is shown.
  made.on('error', (error) => {
    if (client === made && 'code' in error && REFUSED_CODES.includes(error.code)) giveUp()
  })
  made.on('message', (topic, payload) => {
    for (const [filter, listeners] of heard) {
      if (topic.startsWith(filter.slice(0, -1)))
        for (const listener of listeners) listener(topic, payload)
    }
  })
}

/** Values are live once the broker has answered: what it passes on before that is not heard. */
function hear(to: MqttClient, filters: string[]): void {
  const answered = () => {
    if (client !== to) return
    unanswered--
    if (unanswered === 0 && connection.value.state !== 'live') connection.set({ state: 'live' })
  }
  unanswered++
  if (filters.length === 0) answered()
  // Without an answer the connection was cut.
  else to.subscribe(filters, (_refusal, _granted, answer) => answer && answered())
}

/** The broker refuses the token. If the platform does too, the session has ended. */
function giveUp(): void {
  close()
  connection.set({ state: 'polling' })
  retry = setTimeout(() => heard.size > 0 && void open(), AFTER_REFUSAL_MS)
  void call((caracal) => caracal.get('/api/v2/user/me')).catch(() => {})
}

function close(): void {
  clearTimeout(retry)
  client?.end(true)
  client = undefined
  failures = 0
  connection.set({ state: 'idle' })
}

// A browser without a network keeps its old connections for a while.
addEventListener('offline', () => client?.stream.destroy())

let token = currentSession().token
onSession(() => {
  const next = currentSession()
  if (next.token === token && !next.ended) return
  token = next.token
  close()
  if (heard.size > 0) void open()
})

/** Calls `listener` for each message below `filter`, which ends with `#`. Returns how to stop. */
export function subscribe(filter: string, listener: Heard): () => void {
  const set = heard.get(filter) ?? new Set()
  heard.set(filter, set.add(listener))
  if (set.size === 1 && client?.connected) hear(client, [filter])
  void open()
  return () => {
    set.delete(listener)
    if (set.size > 0) return
    heard.delete(filter)
    if (client?.connected) client.unsubscribe(filter)
  }
}

/** Nothing was sent, so nothing will happen. */
export class NotConnected extends Error {}

/** The broker acknowledges a message within this time, or the message is given up. */
const PUBACK_WITHIN_MS = 10_000

/**
 * Publishes and waits for the acknowledgement. Without a connection nothing is sent, not even later:
 * a lamp must not go on minutes after the click.
 */
export function publish(topic: string, payload: string): Promise<void> {
  const to = client
  if (!to?.connected) return Promise.reject(new NotConnected())
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  to.publish(topic, payload, { qos: 1 }, (error) => (error ? reject(error) : resolve()))
  const id = to.getLastMessageId()
  const giveUp = () => {
    to.removeOutgoingMessage(id)
    reject(new Error('no acknowledgement'))
  }
  const timer = setTimeout(giveUp, PUBACK_WITHIN_MS)
  to.once('close', giveUp)
  return promise.finally(() => {
    clearTimeout(timer)
    to.off('close', giveUp)
  })
}

export const useConnection = (): Connection => useStore(connection)
