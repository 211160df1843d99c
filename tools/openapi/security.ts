/** [contract: Authentication] The contract names four schemes; the platform has three more. */
export const securitySchemes = {
  apiKeyAuth: {
    type: 'apiKey' as const,
    in: 'header',
    name: 'X-API-Key',
    description: 'The token of a sign-in, or an API key'
  },
  bearerAuth: {
    type: 'http' as const,
    scheme: 'bearer',
    description: 'The token of a sign-in, or an API key'
  },
  userAuth: {
    type: 'http' as const,
    scheme: 'basic',
    description: 'E-mail address and password of a user account'
  },
  basicAuth: {
    type: 'http' as const,
    scheme: 'basic',
    description: 'Any name; the password is an API key'
  },
  systemAuth: {
    type: 'http' as const,
    scheme: 'basic',
    description: 'Name and password of a system account'
  },
  gatewayAuth: {
    type: 'http' as const,
    scheme: 'basic',
    description: 'The client id of the installation, and the password of its gateway'
  },
  brokerAuth: {
    type: 'http' as const,
    scheme: 'bearer',
    description: 'The key that the platform shares with an external broker'
  },
  brokerBasicAuth: {
    type: 'http' as const,
    scheme: 'basic',
    description: 'Any name; the password is the key of the external broker'
  }
}

type Scheme = keyof typeof securitySchemes
type Security = Record<string, string[]>[]

const anyOf = (...names: Scheme[]): Security => names.map((name) => ({ [name]: [] }))

const ofUsers = anyOf('apiKeyAuth', 'bearerAuth', 'userAuth', 'basicAuth', 'gatewayAuth')

const byAccess: Readonly<Record<string, Security>> = {
  public: [],
  pending: anyOf('apiKeyAuth'),
  gateway: anyOf('gatewayAuth'),
  system: anyOf('systemAuth'),
  broker: anyOf('brokerAuth', 'brokerBasicAuth')
}

/** What a caller must show for a route with this kind of access. */
export const securityOf = (kind = ''): Security => byAccess[kind] ?? ofUsers
