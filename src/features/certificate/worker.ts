// tsyringe, which @peculiar/x509 is built with, needs it.
import 'reflect-metadata'
import { createPublicKey, randomBytes, webcrypto } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  Pkcs10CertificateRequest,
  type PublicKeyType,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator
} from '@peculiar/x509'
import { answerCalls } from '../../lib/thread-calls.ts'

// The entry of the thread of CertificateThread: making keys and reading requests takes a while.
const signing = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const RSA_BITS = { least: 2048, most: 4096 }

type Period = { not_before: number; not_after: number }
export type AuthorityPair = { certificate: string; private_key: string }
export type IssuedPair = { certificate: string; private_key: string | undefined }

const certificates = {
  async makeAuthority({
    name,
    not_before,
    not_after
  }: Period & { name: string }): Promise<AuthorityPair> {
    const keys = await webcrypto.subtle.generateKey(signing, true, ['sign', 'verify'])
    const certificate = await X509CertificateGenerator.createSelfSigned({
      serialNumber: serialNumber(),
      name: [{ CN: [name] }],
      notBefore: new Date(not_before),
      notAfter: new Date(not_after),
      signingAlgorithm: signing,
      keys,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await SubjectKeyIdentifierExtension.create(keys.publicKey)
      ]
    })
    return {
      certificate: certificate.toString('pem'),
      private_key: await privatePem(keys.privateKey)
    }
  },

  /** A text instead of a pair says what is wrong with the request. */
  async issue({
    authority,
    request,
    name,
    not_before,
    not_after
  }: Period & {
    authority: AuthorityPair
    /** PEM; undefined: the key pair is made here. */
    request: string | undefined
    name: string
  }): Promise<IssuedPair | string> {
    const asked = request === undefined ? await newKeys() : await keyIn(request)
    if (typeof asked === 'string') return asked
    const issuer = new X509Certificate(authority.certificate)
    const signingKey = await webcrypto.subtle.importKey(
      'pkcs8',
      PemConverter.decodeFirst(authority.private_key),
      signing,
      false,
      ['sign']
    )
    const certificate = await X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      subject: [{ CN: [name] }],
      issuer: issuer.subjectName,
      notBefore: new Date(not_before),
      notAfter: new Date(not_after),
      signingAlgorithm: signing,
      publicKey: asked.publicKey,
      signingKey,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
        await SubjectKeyIdentifierExtension.create(asked.publicKey),
        await AuthorityKeyIdentifierExtension.create(issuer)
      ]
    })
    return { certificate: certificate.toString('pem'), private_key: asked.private_key }
  },

  close: () => {}
}
export type CertificateWork = typeof certificates

type AskedKey = { publicKey: PublicKeyType; private_key: string | undefined }

async function newKeys(): Promise<AskedKey> {
  const keys = await webcrypto.subtle.generateKey(signing, true, ['sign', 'verify'])
  return { publicKey: keys.publicKey, private_key: await privatePem(keys.privateKey) }
}

/** The public key of a request whose sender has the private key. */
async function keyIn(pem: string): Promise<AskedKey | string> {
  let request: Pkcs10CertificateRequest
  try {
    request = new Pkcs10CertificateRequest(pem)
  } catch {
    return 'must be a certificate request (PKCS 10) as PEM'
  }
  const { publicKey } = request
  if (!isGoodKey(Buffer.from(publicKey.rawData))) {
    return `must have a key of the curve P-256 or P-384, or an RSA key of ${RSA_BITS.least} to ${RSA_BITS.most} bits`
  }
  const isSigned = await request.verify().catch(() => false)
  return isSigned ? { publicKey, private_key: undefined } : 'must be signed with its own key'
}

function isGoodKey(spki: Buffer): boolean {
  try {
    const key = createPublicKey({ key: spki, format: 'der', type: 'spki' })
    const { namedCurve = '', modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
    if (key.asymmetricKeyType === 'ec') return ['prime256v1', 'secp384r1'].includes(namedCurve)
    const isRsa = key.asymmetricKeyType === 'rsa'
    return isRsa && modulusLength >= RSA_BITS.least && modulusLength <= RSA_BITS.most
  } catch {
    return false
  }
}

const privatePem = async (key: webcrypto.CryptoKey): Promise<string> =>
  PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')

/** [RFC 5280, 4.1.2.2] Positive. */
function serialNumber(): string {
  const bytes = randomBytes(16)
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0)
  return bytes.toString('hex')
}

if (parentPort) answerCalls(parentPort, certificates)
