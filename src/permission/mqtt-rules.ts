import type { BrokerRules, Message, Session } from '../bus/bus.ts'
import type { FailedSignIns } from '../identity/failed-sign-ins.ts'
import { clientIdOfGateway, installationOfGateway } from '../identity/gateway.ts'
import type { GatewayPresence } from '../identity/gateway-presence.ts'
import type { Credential, Identity } from '../identity/identity.ts'
import { ownersGone } from '../identity/owners.ts'
import { payerName, payerNamed } from '../lib/quota.ts'
import type { Refusal } from '../lib/sample.ts'
import { isTopicFilter, isWithinTopicLimits } from '../lib/topic.ts'
import type { Quotas } from '../quota/quotas.ts'
import type { Registry } from '../registry/tables.ts'
import type { Directory } from './directory.ts'
import { belongsTo, holds, may, type Principal } from './principal.ts'

/** A stranger does not belong to the installation of the topic. */
export type Sender = { owner: string; isStranger: boolean }

export type MqttSession = Session & { principal: Principal; credential: Credential }

/** No installation has the client id 0. Apps listen there until they know theirs [ADR-0055]. */
const isOfNobody = (filter: string) => /^0(\/|$)/.test(filter)

/** Applies the permissions to MQTT: who may connect, publish, subscribe and receive. */
export function mqttRules(
  {
    registry,
    identity,
    failedSignIns,
    directory,
    blacklist,
    quotas,
    gateways
  }: {
    registry: Registry
    identity: Identity
    failedSignIns: FailedSignIns
    directory: Directory
    blacklist: { blocks(topic: string): boolean }
    quotas: Quotas
    gateways: GatewayPresence
  },
  refused: (message: Message, sender: Sender, reason: Refusal) => void
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
      if ('fault' in found) {
        const { fault: reason } = found
        failedSignIns.note({ over: 'mqtt', reason, account: username, address })
        return reason
      }
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
    rateOf: (tenant) =>
      quotas.limitsOf(payerNamed(tenant))?.messages_per_second ?? Number.POSITIVE_INFINITY,
    // A gateway's client id is for that gateway and for those who may publish for it [ADR-0028].
    mayUse({ principal }, clientId) {
      const ofGateway = clientIdOfGateway(clientId)
      if (ofGateway === undefined) return 'unless taken'
      const installation = directory.installationByClientId(ofGateway)
      if (!installation || !may(principal, 'mqtt/publish', installation)) return 'never'
      return principal.kind === 'gateway' ? 'always' : 'unless taken'
    },
    connected({ principal }, clientId) {
      const id = installationOfGateway(directory, { owner: principal.owner, clientId })
      return id === undefined ? undefined : gateways.arrived(id)
    },
    mayPublish: (session, topic) =>
      isWithinTopicLimits(topic) &&
      mayOn(session, topic, 'mqtt/publish') &&
      !blacklist.blocks(topic),
    mayReceive: (session, topic) => mayOn(session, topic, 'mqtt/subscribe'),
    maySubscribe(session, filter) {
      if (!isWithinTopicLimits(filter) || !isTopicFilter(filter)) return false
      // mayReceive decides later about each message of such a subscription.
      if (/^[+#]/.test(filter)) return holds(session.principal, 'mqtt/subscribe/broad')
      return isOfNobody(filter) || mayOn(session, filter, 'mqtt/subscribe')
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
      const { owner, principal } = session
      const installation = directory.installationByTopic(topic)
      const mayPublish = mayOn(session, topic, 'mqtt/publish')
      const belongs = mayPublish || (installation && belongsTo(principal, installation))
      const sender = { owner, isStranger: !belongs }
      if (!isWithinTopicLimits(topic)) {
        refused(message, sender, 'topic too long')
        return
      }
      const reason = mayPublish ? 'blacklisted' : 'forbidden topic'
      refused(message, sender, installation ? reason : 'unknown client id')
    }
  }
}
