import assert from 'node:assert/strict'
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify
} from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Pushed = { path: string; message: unknown; claims: Claims; key: string; ttl: number }
type Claims = { aud: string; exp: number; sub: string }

/** A browser: it has the keys with which its messages are read. */
export function newBrowser() {
  const ecdh = createECDH('prime256v1')
  const p256dh = ecdh.generateKeys('base64url')
  const auth = randomBytes(16).toString('base64url')
  return { ecdh, keys: { p256dh, auth } }
}
type Browser = ReturnType<typeof newBrowser>

/**
 * A push service on this machine. It checks the signature of each request [RFC 8292], and reads the
 * message as the browser would [RFC 8291].
 */
export async function startPushService() {
  const pushed: Pushed[] = []
  const browsers = new Map<string, Browser>()
  const state = { status: 201 }
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const { url: path = '', headers, method } = request
    const browser = browsers.get(path)
    if (!browser || method !== 'POST' || state.status !== 201) {
      response.writeHead(browser ? state.status : 410).end()
      return
    }
    const { claims, key } = signedClaims(headers)
    assert.equal(headers['content-encoding'], 'aes128gcm')
    const message = JSON.parse(decrypted(Buffer.concat(parts), browser))
    pushed.push({ path, message, claims, key, ttl: Number(headers['ttl']) })
    response.writeHead(201).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    pushed,
    state,
    browsers,
    /** As a browser gives it to its page. */
    subscribe() {
      const browser = newBrowser()
      const path = `/push/${randomBytes(8).toString('hex')}`
      browsers.set(path, browser)
      return { endpoint: url + path, expirationTime: null, keys: browser.keys }
    },
    stop() {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** [RFC 8292, 3] */
function signedClaims({ authorization = '' }: IncomingHttpHeaders): {
  claims: Claims
  key: string
} {
  const [, token = '', key = ''] = /^vapid t=([^,]+), ?k=(\S+)$/.exec(authorization) ?? []
  const [head = '', payload = '', signature = ''] = token.split('.')
  assert.deepEqual(JSON.parse(Buffer.from(head, 'base64url').toString()), {
    typ: 'JWT',
    alg: 'ES256'
  })
  const point = Buffer.from(key, 'base64url')
  assert.equal(point.length, 65)
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((n) => n.toString('base64url'))
  const publicKey = createPublicKey({
    format: 'jwk',
    key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }
  })
  const isRight = verify(
    'sha256',
    Buffer.from(`${head}.${payload}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url')
  )
  assert(isRight, 'the signature is wrong')
  return { claims: JSON.parse(Buffer.from(payload, 'base64url').toString()), key }
}

/** [RFC 8291, 3.4; RFC 8188, 2] One record. */
function decrypted(body: Buffer, { ecdh, keys }: Browser): string {
  const salt = body.subarray(0, 16)
  const idLength = body.readUInt8(20)
  const sender = body.subarray(21, 21 + idLength)
  const record = body.subarray(21 + idLength)
  assert(record.length <= body.readUInt32BE(16), 'one record is enough')
  const receiver = Buffer.from(keys.p256dh, 'base64url')
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiver, sender])
  const auth = Buffer.from(keys.auth, 'base64url')
  const secret = Buffer.from(hkdfSync('sha256', ecdh.computeSecret(sender), auth, info, 32))
  const derive = (what: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, Buffer.from(`${what}\0`), length))
  const key = derive('Content-Encoding: aes128gcm', 16)
  const nonce = derive('Content-Encoding: nonce', 12)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(record.subarray(-16))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  const end = padded.lastIndexOf(2)
  assert(end >= 0 && padded.subarray(end + 1).every((byte) => byte === 0), 'the padding is wrong')
  return padded.subarray(0, end).toString()
}
