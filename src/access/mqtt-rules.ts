import type { BrokerRules, Message, Session } from '../bus/bus.ts'
import { payerName, payerNamed } from '../lib/quota.ts'
import type { Refusal } from '../lib/sample.ts'
import { isTopicFilter, isWithinTopicLimits } from '../lib/topic.ts'
import type { Registry } from '../registry/tables.ts'
import type { Blacklist } from './blacklist.ts'
import type { Directory } from './directory.ts'
import { clientIdOfGateway } from './gateway.ts'
import type { Credential, Identity } from './identity.ts'
import { ownersGone } from './owners.ts'
import { holds, may, type Principal } from './principal.ts'
import type { Quotas } from './quotas.ts'

export type MqttSession = Session & { principal: Principal; credential: Credential }

/** The catalogue applied to MQTT: who connects, publishes, subscribes and receives what. */
export function mqttRules(
  {
    registry,
    identity,
    directory,
    blacklist,
    quotas
  }: {
    registry: Registry
    identity: Identity
    directory: Directory
    blacklist: Blacklist
    quotas: Quotas
  },
  refused: (message: Message, sender: string, reason: Refusal) => void
): BrokerRules<MqttSession> {
  const mayOn = (
    session: MqttSession,
    topic: string,
    action: 'mqtt/publish' | 'mqtt/subscribe'
  ) => {
    const installation = directory.installationByTopic(topic)
    return installation ? may(session.principal, action, installation) : false
  }
  return {
    async signIn({ username, password, address }) {
      const found = await identity.byNameAndPassword(username, password, { address, agent: 'MQTT' })
      if ('fault' in found) return found.fault
      return { owner: found.principal.owner, ...found }
    },
    async renew(session) {
      const principal = await identity.renew(session.credential)
      return principal && { ...session, principal }
    },
    payersOf: ({ principal }) => quotas.payersOf(principal).map(payerName),
    limitOf: (payer, what) =>
      quotas.limitsOf(payerNamed(payer))?.[what] ?? Number.POSITIVE_INFINITY,
    tenantOf({ owner, principal }) {
      const last = quotas.payersOf(principal).at(-1)
      return last ? payerName(last) : owner
    },
    // An installation's own is for its gateway, and for those who may speak for it [ADR-0028].
    mayUse({ principal }, clientId) {
      const ofGateway = clientIdOfGateway(clientId)
      if (ofGateway === undefined) return 'unless taken'
      const installation = directory.installationByClientId(ofGateway)
      if (!installation || !may(principal, 'mqtt/publish', installation)) return 'never'
      return principal.kind === 'gateway' ? 'always' : 'unless taken'
    },
    mayPublish: (session, topic) =>
      isWithinTopicLimits(topic) &&
      mayOn(session, topic, 'mqtt/publish') &&
      !blacklist.blocks(topic),
    mayReceive: (session, topic) => mayOn(session, topic, 'mqtt/subscribe'),
    maySubscribe(session, filter) {
      if (!isWithinTopicLimits(filter) || !isTopicFilter(filter)) return false
      // What such a subscription brings is decided message by message, in mayReceive.
      if (/^[+#]/.test(filter)) return holds(session.principal, 'mqtt/subscribe/broad')
      return mayOn(session, filter, 'mqtt/subscribe')
    },
    seal: ({ credential }) => JSON.stringify(credential),
    async unseal(sealed) {
      const credential = JSON.parse(sealed) as Credential
      const principal = await identity.renew(credential)
      return principal && { owner: principal.owner, principal, credential }
    },
    gone: (owners) => ownersGone(registry, owners),
    refused(message, session) {
      const { topic } = message
      if (!isWithinTopicLimits(topic)) {
        refused(message, session.owner, 'topic too long')
        return
      }
      const isKnown = directory.installationByTopic(topic) !== undefined
      const reason = mayOn(session, topic, 'mqtt/publish') ? 'blacklisted' : 'forbidden topic'
      refused(message, session.owner, isKnown ? reason : 'unknown client id')
    }
  }
}
