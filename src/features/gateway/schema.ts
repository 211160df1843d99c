import { Type } from 'typebox'
import { Id } from '../../http/schema.ts'

/** [contract: GatewayRegistrationPolicy] */
export const GatewayRegistrationPolicy = Type.Object({
  allow_unregistered: Type.Boolean(),
  default_organization_id: Id
})

/** What the edge client's configuration file holds. */
export const GatewayInformation = Type.Object({
  client_id: Type.Integer(),
  installation_id: Type.Integer(),
  api: Type.String({ description: 'Where the API is, for the gateway' }),
  aam: Type.String(),
  mqtt_broker: Type.String({ description: 'host:port' }),
  mqtt_username: Type.String(),
  mqtt_password: Type.String({ description: 'Shown once' }),
  mqtt_client_id: Type.String(),
  timezone: Type.String()
})
