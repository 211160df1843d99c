import { Type } from 'typebox'
import { mayAllOfAGateway, mqttClientIdOf } from '../../access/gateway.ts'
import { gatewayItself, onInstallation, permit, whenAssigned } from '../../access/guard.ts'
import { hashSecret } from '../../access/password.ts'
import { newToken } from '../../access/tokens.ts'
import { executes, updates, updatesThe } from '../../access/trace.ts'
import { reachesEverything } from '../../access/visibility.ts'
import type { Routes } from '../../deps.ts'
import { forbidden } from '../../http/errors.ts'
import { OPTIONAL_BODY } from '../../http/openapi.ts'
import { InstallationParams, Message } from '../../http/schema.ts'
import { tellChange } from '../../notify/change.ts'
import {
  forgetGateway,
  readGatewayPolicy,
  saveGateway,
  writeCapabilities,
  writeGatewayPolicy
} from '../../registry/gateways.ts'
import { findInstallation } from '../../registry/installations.ts'
import { inTransaction } from '../../registry/transaction.ts'
import { GatewayInformation, GatewayRegistrationPolicy } from './schema.ts'

export const gatewayRoutes: Routes = (app, deps) => {
  const { registry, clock } = deps
  const tags = ['Gateway']

  app.post(
    '/verify/:installation_id',
    {
      schema: {
        tags,
        summary: 'A gateway shows its credential and may report its capabilities',
        params: InstallationParams,
        response: { 204: Type.Null({ description: 'The credential is good' }) }
      },
      config: {
        access: gatewayItself,
        trace: { ...executes('gateway', 'installation_id', 'verified'), action: 'auth' },
        body: Type.Object({ capabilities: Type.Optional(Type.Array(Type.String())) }, OPTIONAL_BODY)
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
        summary: 'Forget the credential of the gateway and cut its connections',
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
        summary: 'A new credential for the gateway; the one before ends',
        params: InstallationParams,
        response: { 200: GatewayInformation }
      },
      config: {
        access: onInstallation('installation/update'),
        trace: updates('gateway', 'installation_id', 'made a credential of')
      }
    },
    async (request) => {
      const { installation, principal } = request
      // A key gives away nothing that it may not itself.
      if (principal.limit && !mayAllOfAGateway(principal, installation)) throw forbidden()
      const record = await findInstallation(registry, installation.id)
      if (!record) throw forbidden()
      const { id: installation_id, client_id, timezone } = record
      const password = newToken()
      await inTransaction(registry, (registry) =>
        saveGateway(registry, installation_id, hashSecret(password), clock())
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
        timezone: timezone || deps.timezone
      }
    }
  )

  app.get(
    '/registration/policy',
    {
      schema: { tags, response: { 200: GatewayRegistrationPolicy } },
      config: { access: permit('gateway/registration/policy') }
    },
    () => readGatewayPolicy(registry)
  )

  app.put(
    '/registration/policy',
    {
      schema: {
        tags,
        summary: 'Whether gateways that nobody registered are taken',
        body: GatewayRegistrationPolicy,
        response: { 200: GatewayRegistrationPolicy }
      },
      config: {
        access: permit('gateway/registration/policy'),
        trace: updatesThe('gateway_registration_policy')
      }
    },
    async ({ principal, body: { allow_unregistered, default_organization_id } }) => {
      if (!reachesEverything(principal)) throw forbidden()
      if (!principal.organizationsBelow.has(default_organization_id)) throw forbidden()
      await writeGatewayPolicy(registry, { allow_unregistered, default_organization_id })
      return { allow_unregistered, default_organization_id }
    }
  )
}

const MAX_CAPABILITIES = 100

/** `["schedule"]` or `{capabilities: ["schedule"]}`; anything else reports nothing. */
function capabilitiesIn(body: unknown): string[] | undefined {
  const list = Array.isArray(body)
    ? body
    : (body as { capabilities?: unknown } | null)?.capabilities
  if (!Array.isArray(list)) return undefined
  const texts = list.filter((one) => typeof one === 'string' && one !== '' && one.length <= 100)
  return [...new Set(texts)].slice(0, MAX_CAPABILITIES)
}
