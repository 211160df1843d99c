import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** PEM of a certificate and its key. */
export type Pair = { cert: string; key: string }

const openssl = (args: readonly string[]): string =>
  execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

const AUTHORITY = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign']
export const CLIENT = [
  'basicConstraints=critical,CA:FALSE',
  'keyUsage=critical,digitalSignature',
  'extendedKeyUsage=clientAuth'
]

type Asked = {
  name: string
  /** Undefined: signed with its own key. */
  by?: Pair | undefined
  extensions: readonly string[]
  /** `YYYYMMDDHHMMSSZ` */
  from?: string
  to?: string
}

/** A certificate that openssl makes, with a new key of the curve P-256. */
export function makePair({ name, by, extensions, from, to }: Asked): Pair {
  const dir = mkdtempSync(join(tmpdir(), 'caracal-'))
  const at = (file: string) => join(dir, file)
  openssl(['ecparam', '-genkey', '-name', 'prime256v1', '-noout', '-out', at('key.pem')])
  const config = ['[req]', 'distinguished_name=dn', '[dn]', '[ext]', ...extensions, '[ca]']
  const database = [
    ...['default_ca=own', '[own]', 'new_certs_dir=.', `database=${at('index')}`, 'rand_serial=yes'],
    ...['default_md=sha256', 'policy=any', 'unique_subject=no', 'x509_extensions=ext'],
    ...['[any]', 'commonName=supplied']
  ]
  writeFileSync(at('config'), [...config, ...database].join('\n'))
  writeFileSync(at('index'), '')
  const subject = ['-config', at('config'), '-subj', `/CN=${name}`, '-key', at('key.pem')]
  openssl(['req', '-new', ...subject, '-out', at('csr.pem')])
  if (by) {
    writeFileSync(at('ca.pem'), by.cert)
    writeFileSync(at('ca-key.pem'), by.key)
  }
  const signer = by
    ? ['-cert', at('ca.pem'), '-keyfile', at('ca-key.pem')]
    : ['-selfsign', '-keyfile', at('key.pem')]
  const period = [
    ...(from ? ['-startdate', from] : []),
    ...(to ? ['-enddate', to] : ['-days', '100'])
  ]
  openssl([
    ...['ca', '-batch', '-notext', '-config', at('config'), '-in', at('csr.pem')],
    ...[...signer, ...period, '-outdir', dir, '-out', at('cert.pem')]
  ])
  return takePair(dir, 'cert.pem')
}

export const makeAuthority = (name: string, by?: Pair): Pair =>
  makePair({ name, by, extensions: AUTHORITY })

export const makeClient = (name: string, by?: Pair): Pair =>
  makePair({ name, by, extensions: CLIENT })

/** A certificate request with a new key. */
export function makeRequest(name: string, key: readonly string[] = ['ec', 'P-256']): Pair {
  const dir = mkdtempSync(join(tmpdir(), 'caracal-'))
  const [algorithm = '', size = ''] = key
  const option = algorithm === 'ec' ? `ec_paramgen_curve:${size}` : `rsa_keygen_bits:${size}`
  openssl([
    ...['req', '-new', '-newkey', algorithm, '-pkeyopt', option, '-nodes', '-subj', `/CN=${name}`],
    ...['-keyout', join(dir, 'key.pem'), '-out', join(dir, 'csr.pem')]
  ])
  return takePair(dir, 'csr.pem')
}

/** Reads what was made, and removes the directory. */
function takePair(dir: string, file: string): Pair {
  const [cert = '', key = ''] = [file, 'key.pem'].map((name) =>
    readFileSync(join(dir, name), 'utf8')
  )
  rmSync(dir, { recursive: true })
  return { cert, key }
}
