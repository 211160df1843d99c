import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setDefaultCACertificates } from 'node:tls'
import { connect, type IClientOptions, type MqttClient } from 'mqtt'
import { makeCertificate, tlsSettings } from './certificate.ts'
import type { TestPlatform } from './platform.ts'

const trusted: string[] = []

/** Settings of a platform with TLS, whose certificate `fetch` trusts from now on. */
export function trustedTls(authorities?: string): Record<string, string> & { caPath: string } {
  const dir = mkdtempSync(join(tmpdir(), 'caracal-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  makeCertificate(dir, 'caracal')
  trusted.push(readFileSync(join(dir, 'cert.pem'), 'utf8'))
  setDefaultCACertificates(trusted)
  const caPath = join(dir, 'clients.pem')
  if (authorities) writeFileSync(caPath, authorities)
  return {
    ...tlsSettings(dir),
    ...(authorities && { CARACAL_TLS_CLIENT_CA_PATH: caPath }),
    caPath
  }
}

export const mqttsUrl = ({ deps }: TestPlatform): string =>
  deps.brokerUrls({ host: '127.0.0.1', protocol: 'https' })[0] ?? ''

export type SignedIn = { client: MqttClient; code: number; text: string | undefined }

/** CONNACK, whatever it says. */
export function signInOver(url: string, options: IClientOptions): Promise<SignedIn> {
  const client = connect(url, {
    ...{ reconnectPeriod: 0, rejectUnauthorized: false, protocolVersion: 5, connectTimeout: 5000 },
    ...options
  })
  client.on('error', () => {})
  return new Promise((resolve, reject) => {
    client.on('packetreceive', (packet) => {
      if (packet.cmd !== 'connack') return
      const { reasonCode, returnCode, properties } = packet
      const code = reasonCode ?? returnCode ?? -1
      if (code !== 0) client.end(true)
      resolve({ client, code, text: properties?.reasonString })
    })
    client.once('close', () => reject(new Error('closed before CONNACK')))
  })
}
