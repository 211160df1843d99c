import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** `cert.pem` and `key.pem` for 127.0.0.1, signed by themselves. */
export function makeCertificate(dir: string, name: string): void {
  const out = (file: string) => join(dir, file)
  const options = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  execFileSync(
    'openssl',
    [...options, ...subject, '-keyout', out('key.pem'), '-out', out('cert.pem')],
    { stdio: 'ignore' }
  )
}

/** The settings that serve it. */
export function tlsSettings(dir: string): Record<string, string> {
  return {
    CARACAL_MQTTS_PORT: '0',
    CARACAL_TLS_CERT_PATH: join(dir, 'cert.pem'),
    CARACAL_TLS_KEY_PATH: join(dir, 'key.pem')
  }
}
