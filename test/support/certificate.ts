import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** A self-signed `cert.pem` and its `key.pem` for 127.0.0.1. */
export function makeCertificate(dir: string, name: string, days = 2): void {
  const out = (file: string) => join(dir, file)
  const options = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const names = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1']
  const subject = [...names, '-days', String(days)]
  execFileSync(
    'openssl',
    [...options, ...subject, '-keyout', out('key.pem'), '-out', out('cert.pem')],
    { stdio: 'ignore' }
  )
}

/** The settings that use the certificate. */
export function tlsSettings(dir: string): Record<string, string> {
  return {
    CARACAL_MQTTS_PORT: '0',
    CARACAL_TLS_CERT_PATH: join(dir, 'cert.pem'),
    CARACAL_TLS_KEY_PATH: join(dir, 'key.pem')
  }
}
