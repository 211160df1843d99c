import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { forbidden } from '../../http/errors.ts'
import { checkMatch, tagged } from '../../http/etag.ts'
import { prefixIn } from '../../http/mount.ts'
import { InstallationParams, Message } from '../../http/schema.ts'
import { executes, updates, updatesThe } from '../../http/traced.ts'
import { hasAllGatewayRights, mqttClientIdOf } from '../../identity/gateway.ts'
import { hashSecret } from '../../identity/password.ts'
import { newToken } from '../../identity/tokens.ts'
import { tellChange } from '../../notify/change.ts'
import {
  gatewayItself,
  onInstallation,
  permit,
  signedIn,
  whenAssigned
} from '../../permission/guard.ts'
import { reachesEverything } from '../../permission/visibility.ts'
import {
  forgetGateway,
  readGatewayPolicy,
  saveGateway,
  writeCapabilities,
  writeGatewayPolicy
} from '../../registry/gateways.ts'
import { findInstallation } from '../../registry/installations.ts'
import { inTransaction } from '../../registry/transaction.ts'
import type { GatewayDeps } from './deps.ts'
import {
  BrokerAddresses,
  GatewayInformation,
  GatewayRegistrationPolicy,
  GatewayReport,
  MAX_CAPABILITIES,
  MAX_CAPABILITY_CHARACTERS,
  NewGatewayCredentials
} from './schema.ts'

export const gatewayRoutes: Routes<GatewayDeps> = (app, deps) => {
  const { registry, clock } = deps
  const tags = ['Gateway']

  app.post(
    '/verify/:installation_id',
    {
      schema: {
        tags,
        operationId: 'verifyGateway',
        summary: 'A gateway shows its credential and may report its capabilities',
        params: InstallationParams,
        response: { 204: Type.Null({ description: 'The credential is valid' }) }
      },
      config: {
        access: gatewayItself,
        trace: { ...executes('gateway', 'installation_id', 'verified'), action: 'auth' },
        body: GatewayReport
      }
    },
    async ({ installation, body }, reply) => {
      const capabilities = capabilitiesIn(body)
      if (capabilities && (await writeCapabilities(registry, installation.id, capabilities))) {
        await tellChange(deps, { kind: 'installation', client_id: installation.client_id })
      }
      return reply.code(204).send(null)
    }
  )

  app.post(
    '/reset/:installation_id',
    {
      schema: {
        tags,
        operationId: 'resetGateway',
        summary: 'Delete the credential of the gateway and end its connections',
        params: InstallationParams,
        response: { 200: Message }
      },
      config: {
        access: whenAssigned('gateway/reset/password'),
        trace: updates('gateway', 'installation_id', 'forgot the credential of')
      }
    },
    async ({ installation }) => {
      await inTransaction(registry, (registry) => forgetGateway(registry, installation.id, clock()))
      return { message: 'Reset' }
    }
  )

  app.post(
    '/credentials/:installation_id',
    {
      schema: {
        tags,
        operationId: 'createGatewayCredentials',
        summary: 'Create a new credential for the gateway; the old one ends',
        params: InstallationParams,
        body: NewGatewayCredentials,
        response: { 200: GatewayInformation }
      },
      config: {
        access: onInstallation('installation/update'),
        trace: updates('gateway', 'installation_id', 'made a credential of')
      },
      preValidation: emptyBody
    },
    async (request) => {
      const { installation, principal, body } = request
      const prefix = body.mount ? prefixIn(body.mount, deps) : undefined
      // A restricted key must have all rights that the new credential has.
      if (principal.limit && !hasAllGatewayRights(principal, installation)) throw forbidden()
      const record = await findInstallation(registry, installation.id)
      if (!record) throw forbidden()
      const { id: installation_id, client_id, timezone } = record
      const password = newToken()
      const password_hash = hashSecret(password)
      const mount = prefix === undefined ? undefined : { installation_id, prefix }
      await inTransaction(registry, (registry) =>
        saveGateway(registry, installation_id, { password_hash, mount }, clock())
      )
      const { api, mqtt_broker } = deps.gatewayAddresses(request)
      return {
        client_id,
        installation_id,
        api,
        aam: api,
        mqtt_broker,
        mqtt_username: String(client_id),
        mqtt_password: password,
        mqtt_client_id: mqttClientIdOf(client_id),
        timezone: timezone || deps.timezone,
        ...(mount && { mount })
      }
    }
  )

  app.get(
    '/broker',
    {
      schema: {
        tags,
        operationId: 'getBrokerAddresses',
        summary: 'The addresses at which devices reach the MQTT broker',
        response: { 200: BrokerAddresses }
      },
      config: { access: signedIn }
    },
    (request) => ({ urls: deps.brokerUrls(request) })
  )

  app.get(
    '/registration/policy',
    {
      schema: {
        tags,
        operationId: 'getGatewayRegistrationPolicy',
        summary: 'The policy for gateways that are not registered',
        response: { 200: GatewayRegistrationPolicy }
      },
      config: { access: permit('gateway/registration/policy') }
    },
    async (_, reply) => tagged(reply, await readGatewayPolicy(registry))
  )

  app.put(
    '/registration/policy',
    {
      schema: {
        tags,
        operationId: 'updateGatewayRegistrationPolicy',
        summary: 'Set whether unregistered gateways are accepted',
        faults: [412],
        body: GatewayRegistrationPolicy,
        response: { 200: GatewayRegistrationPolicy }
      },
      config: {
        access: permit('gateway/registration/policy'),
        trace: updatesThe('gateway_registration_policy')
      }
    },
    async (request, reply) => {
      const { principal, body } = request
      const { allow_unregistered, default_organization_id } = body
      if (!reachesEverything(principal)) throw forbidden()
      if (!principal.organizationsBelow.has(default_organization_id)) throw forbidden()
      const policy = { allow_unregistered, default_organization_id }
      await inTransaction(registry, async (registry) => {
        checkMatch(request, await readGatewayPolicy(registry))
        await writeGatewayPolicy(registry, policy)
      })
      return tagged(reply, policy)
    }
  )
}

/** Existing clients send no body. */
function emptyBody(request: FastifyRequest, _reply: unknown, done: () => void): void {
  request.body ??= {}
  done()
}

/** Accepts `["schedule"]` or `{capabilities: ["schedule"]}`; other bodies are ignored. */
function capabilitiesIn(body: unknown): string[] | undefined {
  const list = Array.isArray(body)
    ? body
    : (body as { capabilities?: unknown } | null)?.capabilities
  if (!Array.isArray(list)) return undefined
  const texts = list.filter(
    (one) => typeof one === 'string' && one !== '' && one.length <= MAX_CAPABILITY_CHARACTERS
  )
  return [...new Set(texts)].slice(0, MAX_CAPABILITIES)
}
