import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Logger, pino } from 'pino'
import type { BrokerRules, ClientIdUse, Message, MessageHandler } from '../../src/bus/bus.ts'
import {
  type EmbeddedBus,
  type EmbeddedBusOptions,
  openEmbeddedBus
} from '../../src/bus/embedded/embedded.ts'
import type { QueueLimits } from '../../src/bus/embedded/store/changes.ts'
import { Store } from '../../src/bus/embedded/store/store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { topicMatches } from '../../src/lib/topic.ts'

type Grants = { publish: string; subscribe: string; receive: string }
type TestSession = { owner: string; grants: Grants }

export const everything: Grants = { publish: '#', subscribe: '#', receive: '#' }

/** The username is the owner. Its grants may change. Some passwords have a special meaning. */
export async function startBus(
  t: Pick<TestContext, 'after'>,
  {
    handle = () => Promise.resolve(),
    dataDir: givenDir,
    grants: givenGrants = {},
    ended: hasEnded = [],
    mayUse = () => 'unless taken',
    limits,
    queue,
    quota = Number.POSITIVE_INFINITY,
    rate = Number.POSITIVE_INFINITY,
    warn = () => {},
    ...options
  }: {
    warn?: (fields: object, text: string) => void
    handle?: MessageHandler
    dataDir?: string
    queue?: Partial<QueueLimits>
    /** The limit of connections and of filters, shared by all users with the same word after the `@`. */
    quota?: number
    /** Messages a second of a tenant. */
    rate?: number
    grants?: Record<string, Grants>
    ended?: string[]
    mayUse?: (owner: string, clientId: string) => ClientIdUse
  } & Pick<EmbeddedBusOptions<TestSession>, 'limits' | 'clock' | 'disk'> & {
      log?: Logger
    } = {}
) {
  const dataDir = givenDir ?? (await mkdtemp(join(tmpdir(), 'caracal-bus-')))
  const grants = new Map(Object.entries(givenGrants))
  const ended = new Set(hasEnded)
  const gone = new Set<string>()
  const handled: string[] = []
  const refused: string[] = []
  const addresses: string[] = []
  const letIn: Array<() => void> = []
  let renewals = 0
  const grantsOf = (owner: string) => grants.get(owner) ?? everything
  const allows = (filter: string, topic: string) => filter !== '' && topicMatches(filter, topic)
  const rules: BrokerRules<TestSession> = {
    signIn({ username, password, address }) {
      addresses.push(address)
      if (password === 'wrong') return Promise.resolve('refused')
      if (password === 'often') return Promise.resolve('throttled')
      if (password === 'slow') {
        return new Promise((resolve) =>
          letIn.push(() => resolve({ owner: username, grants: grantsOf(username) }))
        )
      }
      if (password === 'broken') return Promise.reject(new Error('registry down'))
      return Promise.resolve({ owner: username, grants: grantsOf(username) })
    },
    renew({ owner }) {
      renewals++
      return Promise.resolve(ended.has(owner) ? undefined : { owner, grants: grantsOf(owner) })
    },
    payersOf: ({ owner }) => owner.split('@').slice(1),
    limitOf: () => quota,
    rateOf: () => rate,
    tenantOf: ({ owner }) => owner.split('@').at(-1) ?? '',
    mayUse: ({ owner }, clientId) => mayUse(owner, clientId),
    connected: () => undefined,
    gone: () => Promise.resolve(gone),
    mayPublish: (session, topic) => allows(session.grants.publish, topic),
    maySubscribe: (session, filter) =>
      session.grants.subscribe === '#' || allows(session.grants.subscribe, filter),
    mayReceive: (session, topic) => allows(session.grants.receive, topic),
    seal: ({ owner }) => owner,
    unseal: (owner) =>
      Promise.resolve(ended.has(owner) ? undefined : { owner, grants: grantsOf(owner) }),
    refused: ({ topic, payload }, { owner }) => refused.push(`${owner} ${topic} ${payload}`)
  }
  const bus: EmbeddedBus = await openEmbeddedBus({
    host: '127.0.0.1',
    port: 0,
    rules,
    onMessage: (message: Message, sender) => {
      handled.push(`${sender} ${message.topic} ${message.payload}`)
      return handle(message, sender)
    },
    log: Object.assign(pino({ level: 'silent' }), { warn }),
    store: new Store(dataDir, {
      now: (options.clock ?? systemClock)(),
      limits: { ...limits, ...queue }
    }),
    ...options,
    limits: { drainMs: 1000, ...limits }
  })
  t.after(async () => {
    await bus.close()
    if (!givenDir) await rm(dataDir, { recursive: true })
  })
  return {
    bus,
    dataDir,
    port: bus.port ?? 0,
    grants,
    ended,
    gone,
    handled,
    refused,
    addresses,
    letIn,
    renewals: () => renewals
  }
}
