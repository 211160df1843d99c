import { networkInterfaces } from 'node:os'
import { brokerHost } from '../bus/external/link.ts'
import type { Config } from '../config.ts'
import type { GatewayDeps } from '../features/gateway/deps.ts'
import { firstAddress, inUrl, isEveryAddress, originOfHost } from '../lib/host.ts'
import { LYNX } from '../lynx.ts'

/** The ports in use; undefined: not listening. */
export type Ports = {
  httpPort: number
  mqttPort: number | undefined
  mqttsPort: number | undefined
}

type Request = Parameters<GatewayDeps['gatewayAddresses']>[0]

/** The addresses under which others reach the platform. [ADR-0033] */
export class PublicAddress {
  readonly #config: Config
  readonly #readPorts: () => Ports
  #ports: Ports | undefined

  /** `ports` is called when everything listens, because the system chooses a port for 0. */
  constructor(config: Config, ports: () => Ports) {
    this.#config = config
    this.#readPorts = ports
  }

  /** Read once and kept: a mail may be written after the listeners are closed. */
  get ports(): Ports {
    this.#ports ??= this.#readPorts()
    return this.#ports
  }

  /** True when no setting says how others reach this machine. */
  get isGuessed(): boolean {
    return this.#config.PUBLIC_URL === '' && isEveryAddress(this.#config.HOST)
  }

  /** CARACAL_HOST, or an address of this machine when CARACAL_HOST means all addresses. */
  get host(): string {
    const { HOST } = this.#config
    return inUrl(isEveryAddress(HOST) ? firstAddress(HOST, networkInterfaces()) : HOST)
  }

  get local(): string {
    const scheme = this.#config.TLS_CERT_PATH === '' ? 'http' : 'https'
    return `${scheme}://${this.host}:${this.ports.httpPort}`
  }

  /** For mails. It never uses text from a request, which a stranger could write. */
  get url(): string {
    return this.#config.PUBLIC_URL.replace(/\/$/, '') || this.local
  }

  /** For a credential, which only the requester sees. */
  ofGateway(request: Request): ReturnType<GatewayDeps['gatewayAddresses']> {
    const url = this.#askedAt(request)
    return { api: url + LYNX, mqtt_broker: this.#brokerBeside(url) }
  }

  /** All URLs of the broker, encrypted ones first. Only the requester sees them. */
  brokerUrls(request: Request): string[] {
    const { MQTT_PUBLIC_URL, BUS_URL, HOST } = this.#config
    if (MQTT_PUBLIC_URL !== '') return [MQTT_PUBLIC_URL.replace(/\/$/, '')]
    if (BUS_URL !== '') return [`${new URL(BUS_URL).protocol}//${brokerHost(BUS_URL)}`]
    const url = this.#askedAt(request)
    const host = isEveryAddress(HOST) ? new URL(url).hostname : inUrl(HOST)
    const { mqttPort, mqttsPort } = this.ports
    return [
      ...(mqttsPort === undefined ? [] : [`mqtts://${host}:${mqttsPort}`]),
      ...(mqttPort === undefined ? [] : [`mqtt://${host}:${mqttPort}`]),
      `${url.replace(/^http/, 'ws')}/mqtt`
    ]
  }

  #askedAt({ protocol, host }: Request): string {
    const scheme = protocol === 'https' ? 'https' : 'http'
    return (this.isGuessed && originOfHost(scheme, host)) || this.url
  }

  /** `host:port`, as edge clients read it. With a scheme when only WebSocket is available. */
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
