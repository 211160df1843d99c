import { Type } from 'typebox'
import { OPTIONAL_BODY } from '../../http/described.ts'
import { Mount, MountPrefix } from '../../http/mount.ts'
import { Id, Maybe } from '../../http/schema.ts'

export const MAX_CAPABILITIES = 100
export const MAX_CAPABILITY_CHARACTERS = 100

/** What is over these bounds is left out. */
export const GatewayReport = Type.Object(
  {
    capabilities: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_CAPABILITY_CHARACTERS }), {
        maxItems: MAX_CAPABILITIES
      })
    )
  },
  { ...OPTIONAL_BODY, title: 'GatewayReport' }
)

/** [contract: GatewayRegistrationPolicy] */
export const GatewayRegistrationPolicy = Type.Object(
  {
    allow_unregistered: Type.Boolean(),
    default_organization_id: Id
  },
  { title: 'GatewayRegistrationPolicy' }
)

export const NewGatewayCredentials = Type.Object(
  { mount: Maybe(Type.Object({ prefix: MountPrefix }, { title: 'NewGatewayMount' })) },
  { ...OPTIONAL_BODY, title: 'NewGatewayCredentials' }
)

/** The fields of the edge client's configuration file. */
export const GatewayInformation = Type.Object(
  {
    client_id: Type.Integer(),
    installation_id: Type.Integer(),
    api: Type.String({ description: 'Address of the API for the gateway' }),
    aam: Type.String(),
    mqtt_broker: Type.String({ description: 'host:port' }),
    mqtt_username: Type.String(),
    mqtt_password: Type.String({ description: 'Shown once' }),
    mqtt_client_id: Type.String(),
    timezone: Type.String(),
    mount: Type.Optional(Mount)
  },
  { title: 'GatewayCredentials' }
)

export const BrokerAddresses = Type.Object(
  {
    urls: Type.Array(Type.String(), {
      description:
        '`mqtts://`, `mqtt://`, `wss://` or `ws://`, with host and port. Encrypted ones come first.'
    })
  },
  { title: 'BrokerAddresses' }
)
