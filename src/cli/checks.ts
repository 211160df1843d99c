import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { constants, readFileSync } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { connect, createServer, isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import type { Config } from '../config.ts'
import { systemClock } from '../lib/clock.ts'
import { postgresPlace } from '../lib/postgres-url.ts'
import { MINUTE, SECOND } from '../lib/unix-time.ts'
import { within } from '../lib/within.ts'
import { explainPort } from '../platform/bus.ts'
import {
  certificateProblem,
  dateOf,
  diskProblem,
  megabytes,
  type Status
} from '../platform/control/status.ts'
import { readAuthorities } from '../platform/tls.ts'
import { ask } from './ask.ts'
import { diskOf } from './stopped-status.ts'

export type Finding = { check: string; ok: boolean; detail: string }

const CONNECT_LIMIT_MS = 3 * SECOND
/** Tokens and schedules of several nodes need clocks that agree. */
const MAX_CLOCK_DIFFERENCE_MS = 2 * SECOND

export async function directoryFindings({ DATA_DIR, FILES_DIR }: Config): Promise<Finding[]> {
  const found: Finding[] = []
  for (const path of new Set([DATA_DIR, FILES_DIR])) {
    found.push({ check: 'data directory', ...(await directoryState(path)) })
  }
  return found
}

async function directoryState(path: string): Promise<Omit<Finding, 'check'>> {
  try {
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOENT'
      ? { ok: true, detail: `${path} is not there yet: the first start makes it` }
      : { ok: false, detail: `${path} cannot be used (${message})` }
  }
  const { mode } = await stat(path)
  return (mode & 0o077) === 0
    ? { ok: true, detail: `${path} is private and can be written` }
    : { ok: false, detail: `other users of this machine can reach ${path}: chmod 700` }
}

export async function diskFindings(config: Config): Promise<Finding[]> {
  const disk = await diskOf(config)
  const problem = diskProblem(disk)
  const detail = `${megabytes(disk.free)} free, reserve ${megabytes(disk.reserve)}`
  return [{ check: 'disk', ok: problem === undefined, detail: problem ?? detail }]
}

/** A running platform must answer on its ports; for a stopped one they must be free. */
export async function portFindings(config: Config, status: Status | undefined): Promise<Finding[]> {
  if (status) {
    return Promise.all(
      status.addresses.map(async (address) => {
        const { hostname, port, protocol } = new URL(address)
        const fallback = protocol === 'https:' ? 443 : 80
        return reached('ports', address, hostname, Number(port) || fallback)
      })
    )
  }
  const { HOST, HTTP_PORT, MQTT_PORT, MQTTS_PORT, BUS_URL, TLS_CERT_PATH } = config
  const isEmbedded = BUS_URL === ''
  const ports: [setting: string, port: number][] = [
    ['CARACAL_HTTP_PORT', HTTP_PORT],
    ...(isEmbedded && MQTT_PORT !== 'off'
      ? [['CARACAL_MQTT_PORT', MQTT_PORT] satisfies [string, number]]
      : []),
    ...(isEmbedded && TLS_CERT_PATH !== ''
      ? [['CARACAL_MQTTS_PORT', MQTTS_PORT] satisfies [string, number]]
      : [])
  ]
  return Promise.all(ports.map(([setting, port]) => isFree(setting, HOST, port)))
}

async function isFree(setting: string, host: string, port: number): Promise<Finding> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening').catch(explainPort(setting, host, port))
    return { check: 'ports', ok: true, detail: `${setting} ${port} on ${host} is free` }
  } catch (error) {
    return { check: 'ports', ok: false, detail: (error as Error).message }
  } finally {
    server.close()
  }
}

/** A running platform knows how its engines are. Before a start, the servers must be there. */
export async function serverFindings(
  { REGISTRY_URL, HISTORY_URL, BUS_URL }: Config,
  status: Status | undefined
): Promise<Finding[]> {
  if (status) {
    return Object.entries(status.engines).map(([check, engine]) => ({ check, ...engine }))
  }
  const servers: Promise<Finding>[] = []
  if (REGISTRY_URL !== '') {
    const { server } = postgresPlace(REGISTRY_URL)
    const { hostname, port } = new URL(`tcp://${server}`)
    servers.push(reached('registry', server, hostname, Number(port) || 5432))
  }
  for (const [check, url, fallback] of [
    ['history', HISTORY_URL, 8123],
    ['bus', BUS_URL, 1883]
  ] as const) {
    if (url === '') continue
    const { host, hostname, port, protocol } = new URL(url)
    const usual = protocol === 'https:' ? 443 : protocol === 'mqtts:' ? 8883 : fallback
    servers.push(reached(check, host, hostname, Number(port) || usual))
  }
  return Promise.all(servers)
}

async function reached(
  check: string,
  name: string,
  hostname: string,
  port: number
): Promise<Finding> {
  const socket = connect(port, withoutBrackets(hostname))
  const late = () => new Error('no answer')
  try {
    await within(CONNECT_LIMIT_MS, once(socket, 'connect'), late)
    return { check, ok: true, detail: `${name} answers` }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { check, ok: false, detail: `${name} does not answer (${code ?? message})` }
  } finally {
    socket.destroy()
  }
}

export async function clockFindings(config: Config): Promise<Finding[]> {
  const before = systemClock()
  const { registry, newest } = await ask<{ registry: number; newest: number }>(config, '/clock', {})
  const after = systemClock()
  const seconds = (ms: number) => Math.round(ms / SECOND)
  // The registry read its clock at some moment in between.
  const off = Math.max(before - registry, registry - after, 0)
  if (off > MAX_CLOCK_DIFFERENCE_MS) {
    const detail = `the clocks of this machine and of the registry differ by ${seconds(off)} s: synchronize them`
    return [{ check: 'clock', ok: false, detail }]
  }
  if (newest > after + MINUTE) {
    const detail = `the newest entry of the trace is ${seconds(newest - after)} s in the future: this clock was set back, or was wrong before`
    return [{ check: 'clock', ok: false, detail }]
  }
  return [{ check: 'clock', ok: true, detail: new Date(after).toISOString() }]
}

export async function certificateFindings(config: Config): Promise<Finding[]> {
  const { TLS_CERT_PATH, TLS_KEY_PATH, TLS_CLIENT_CA_PATH, PUBLIC_URL } = config
  if (TLS_CERT_PATH === '') {
    return [{ check: 'certificate', ok: true, detail: 'none: TLS is off, or a proxy does it' }]
  }
  const wrong = (detail: string): Finding[] => [{ check: 'certificate', ok: false, detail }]
  let certificate: X509Certificate
  try {
    const cert = readFileSync(TLS_CERT_PATH)
    createSecureContext({ cert, key: readFileSync(TLS_KEY_PATH) })
    certificate = new X509Certificate(cert)
  } catch (error) {
    return wrong(`CARACAL_TLS_CERT_PATH: cannot be used (${(error as Error).message})`)
  }
  try {
    readAuthorities(TLS_CLIENT_CA_PATH)
  } catch (error) {
    return wrong((error as Error).message)
  }
  const now = systemClock()
  const expires = Math.floor(Date.parse(certificate.validTo) / SECOND)
  const ending = certificateProblem(expires, now)
  if (ending) return wrong(ending)
  if (Date.parse(certificate.validFrom) > now) {
    return wrong(`the TLS certificate is valid only from ${certificate.validFrom}`)
  }
  const host = PUBLIC_URL === '' ? undefined : withoutBrackets(new URL(PUBLIC_URL).hostname)
  if (host && !(isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host))) {
    return wrong(`the TLS certificate is not for ${host}, the host of CARACAL_PUBLIC_URL`)
  }
  return [{ check: 'certificate', ok: true, detail: `valid until ${dateOf(expires)}` }]
}

/** An IPv6 address of a URL, as sockets and certificates take it. */
const withoutBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')
