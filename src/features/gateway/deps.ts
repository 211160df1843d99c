type Asked = { host: string; protocol: string }

export type GatewayDeps = {
  /** The addresses that a gateway gets with its credential: the API [ADR-0017] and the broker. */
  gatewayAddresses: (request: Asked) => { api: string; mqtt_broker: string }
  /** The URLs of the broker, for who asks; the best one first. */
  brokerUrls: (request: Asked) => string[]
}
