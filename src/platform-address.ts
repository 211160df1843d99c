import { networkInterfaces } from 'node:os'
import { brokerHost } from './bus/link.ts'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import { LYNX } from './dialect.ts'
import { firstAddress, inUrl, isEveryAddress, originOfHost } from './lib/host.ts'

/** The ports in use; undefined: nothing listens. */
export type Ports = {
  httpPort: number
  mqttPort: number | undefined
  mqttsPort: number | undefined
}

type Request = Parameters<Deps['gatewayAddresses']>[0]

/** The addresses under which others reach the platform. [ADR-0033] */
export class PublicAddress {
  readonly #config: Config
  readonly #readPorts: () => Ports
  #ports: Ports | undefined

  /** `ports` is asked when everything listens: one that is 0 is chosen by the system. */
  constructor(config: Config, ports: () => Ports) {
    this.#config = config
    this.#readPorts = ports
  }

  /** Known for good: a mail may be written when nothing listens any more. */
  get ports(): Ports {
    this.#ports ??= this.#readPorts()
    return this.#ports
  }

  /** Nobody said how this machine is called by others. */
  get isGuessed(): boolean {
    return this.#config.PUBLIC_URL === '' && isEveryAddress(this.#config.HOST)
  }

  /** A host to call: CARACAL_HOST, or an address of this machine where that means all of them. */
  get host(): string {
    const { HOST } = this.#config
    return inUrl(isEveryAddress(HOST) ? firstAddress(HOST, networkInterfaces()) : HOST)
  }

  get local(): string {
    const scheme = this.#config.TLS_CERT_PATH === '' ? 'http' : 'https'
    return `${scheme}://${this.host}:${this.ports.httpPort}`
  }

  /** For mails: nothing that a stranger can write into a request. */
  get url(): string {
    return this.#config.PUBLIC_URL.replace(/\/$/, '') || this.local
  }

  /** For a credential, which only its requester gets to see. */
  ofGateway(request: Request): ReturnType<Deps['gatewayAddresses']> {
    const scheme = request.protocol === 'https' ? 'https' : 'http'
    const url = (this.isGuessed && originOfHost(scheme, request.host)) || this.url
    return { api: url + LYNX, mqtt_broker: this.#brokerBeside(url) }
  }

  /** `host:port`, as edge clients read it; with a scheme when only WebSocket is left. */
  #brokerBeside(url: string): string {
    const { MQTT_PUBLIC_URL, BUS_URL, HOST } = this.#config
    if (MQTT_PUBLIC_URL !== '') return MQTT_PUBLIC_URL.replace(/^\w+:\/\//, '').replace(/\/$/, '')
    if (BUS_URL !== '') return brokerHost(BUS_URL)
    const { mqttPort, mqttsPort } = this.ports
    const port = mqttsPort ?? mqttPort
    if (port === undefined) return `${url.replace(/^http/, 'ws')}/mqtt`
    return `${isEveryAddress(HOST) ? new URL(url).hostname : inUrl(HOST)}:${port}`
  }
}
