import type {
  BrokerRules,
  ClientCertificate,
  Message,
  RefusedCertificate,
  Session
} from '../bus/bus.ts'
import type { FailedSignIns } from '../identity/failed-sign-ins.ts'
import { clientIdOfGateway, installationOfGateway } from '../identity/gateway.ts'
import type { GatewayPresence } from '../identity/gateway-presence.ts'
import type { Credential, Identity, SignIn } from '../identity/identity.ts'
import { ownersGone } from '../identity/owners.ts'
import { Mount, type MountPlace } from '../lib/mount.ts'
import { payerName, payerNamed } from '../lib/quota.ts'
import type { Refusal } from '../lib/sample.ts'
import { isTopicFilter, isWithinTopicLimits } from '../lib/topic.ts'
import type { Quotas } from '../quota/quotas.ts'
import type { InstallationRef } from '../registry/installations.ts'
import type { Registry } from '../registry/tables.ts'
import type { Directory } from './directory.ts'
import { belongsTo, holds, may, type Principal } from './principal.ts'

/** A stranger does not belong to the installation of the topic. */
export type Sender = { owner: string; isStranger: boolean }

export type MqttSession = Session & { principal: Principal; credential: Credential }

/** No installation has the client id 0. Apps listen there until they know theirs [ADR-0055]. */
const isOfNobody = (filter: string) => /^0(\/|$)/.test(filter)

/** Whether a key with a mount at the installation can be of use to the caller. */
export const mayMount = (principal: Principal, installation: InstallationRef): boolean =>
  may(principal, 'mqtt/publish', installation) || may(principal, 'mqtt/subscribe', installation)

/**
 * A mounted key has client ids and sessions of its own: what was subscribed to through another
 * mount, or through none, must never reach it, and it cannot end other connections of its owner.
 */
function ownerOfMounted({ principal, credential }: SignIn, { prefix }: MountPlace): string {
  const { kind, owner, tokenId } = principal
  if (credential.kind === 'certificate') return `${owner} certificate:${credential.id}`
  return kind === 'gateway' ? `${owner} mount:${prefix}` : `${owner} key:${tokenId}`
}

/** A certificate with a mount is for a device behind it, not for the gateway. [ADR-0068] */
const isDevice = ({ principal, credential }: MqttSession): boolean =>
  credential.kind === 'certificate' && principal.mount !== undefined

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
  /** Undefined: the installation of its mount is gone, or the owner of the key may not use it. */
  const sessionOf = (signIn: SignIn): MqttSession | undefined => {
    const { principal, credential } = signIn
    const place = principal.mount
    if (!place) return { owner: principal.owner, principal, credential, mount: undefined }
    const installation = directory.installation(place.installation_id)
    if (!installation || !mayMount(principal, installation)) return undefined
    const mount = new Mount(installation.client_id, place.prefix)
    return { owner: ownerOfMounted(signIn, place), principal, credential, mount }
  }
  const isOutside = ({ mount }: MqttSession, topic: string) =>
    mount !== undefined && !mount.has(topic)
  const signInByCertificate = async (
    { fingerprint, fault }: ClientCertificate,
    { username, password }: { username: string; password: string }
  ): Promise<MqttSession | RefusedCertificate> => {
    if (fault) return { refused: fault }
    // A client has one identity, and it is told which one would count.
    if (password !== '') return { refused: 'a client with a certificate must send no password' }
    const found = await identity.byCertificate(fingerprint)
    if ('fault' in found) return { refused: `the certificate is ${found.fault}` }
    const [installationId = 0] = found.principal.assigned
    const name = String(directory.installation(installationId)?.client_id)
    if (username !== '' && username !== name) {
      return { refused: 'the certificate is not for this user name' }
    }
    return sessionOf(found) ?? { refused: 'the certificate is not registered' }
  }
  return {
    async signIn({ username, password, address, certificate }) {
      if (certificate) {
        const answer = await signInByCertificate(certificate, { username, password })
        if ('refused' in answer) {
          const account = `certificate ${certificate.fingerprint}`
          failedSignIns.note({ over: 'mqtt', reason: 'refused', account, address })
        }
        return answer
      }
      const found = await identity.byNameAndPassword(username, password, { address, agent: 'MQTT' })
      const session = 'fault' in found ? undefined : sessionOf(found)
      if (session) return session
      const reason = 'fault' in found ? found.fault : 'refused'
      failedSignIns.note({ over: 'mqtt', reason, account: username, address })
      return reason
    },
    async renew({ credential }) {
      const principal = await identity.renew(credential)
      return principal && sessionOf({ principal, credential })
    },
    payersOf: ({ principal }) => quotas.payersOf(principal).map(payerName),
    limitOf: (payer, what) =>
      quotas.limitsOf(payerNamed(payer))?.[what] ?? Number.POSITIVE_INFINITY,
    tenantOf({ principal }) {
      const last = quotas.payersOf(principal).at(-1)
      return last ? payerName(last) : principal.owner
    },
    rateOf: (tenant) =>
      quotas.limitsOf(payerNamed(tenant))?.messages_per_second ?? Number.POSITIVE_INFINITY,
    // A gateway's client id is for that gateway and for those who may publish for it [ADR-0028].
    mayUse(session, clientId) {
      const { principal } = session
      const ofGateway = clientIdOfGateway(clientId)
      if (ofGateway === undefined) return 'unless taken'
      // A mounted key must not appear as the gateway of an installation.
      if (principal.mount && (principal.kind !== 'gateway' || isDevice(session))) return 'never'
      const installation = directory.installationByClientId(ofGateway)
      if (!installation || !may(principal, 'mqtt/publish', installation)) return 'never'
      return principal.kind === 'gateway' ? 'always' : 'unless taken'
    },
    connected(session, clientId) {
      if (isDevice(session)) return undefined
      const { principal } = session
      const id = installationOfGateway(directory, { owner: principal.owner, clientId })
      return id === undefined ? undefined : gateways.arrived(id)
    },
    mayPublish: (session, topic) =>
      isWithinTopicLimits(topic) &&
      !isOutside(session, topic) &&
      mayOn(session, topic, 'mqtt/publish') &&
      !blacklist.blocks(topic),
    mayReceive: (session, topic) =>
      !isOutside(session, topic) && mayOn(session, topic, 'mqtt/subscribe'),
    maySubscribe(session, filter) {
      if (!isWithinTopicLimits(filter) || !isTopicFilter(filter)) return false
      if (isOutside(session, filter)) return false
      // mayReceive decides later about each message of such a subscription.
      if (/^[+#]/.test(filter)) return holds(session.principal, 'mqtt/subscribe/broad')
      return isOfNobody(filter) || mayOn(session, filter, 'mqtt/subscribe')
    },
    seal: ({ credential }) => JSON.stringify(credential),
    async unseal(sealed) {
      const credential = JSON.parse(sealed) as Credential
      const principal = await identity.renew(credential)
      return principal && sessionOf({ principal, credential })
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
