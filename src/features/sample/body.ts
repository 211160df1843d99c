import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import type { App } from '../../deps.ts'
import { badRequest, payloadTooLarge, unsupportedEncoding } from '../../http/errors.ts'

const unzip = promisify(gunzip)

/** In this scope a body is bytes, whatever its type says. */
export function readBytes(app: App, bodyLimit: number): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) =>
    done(null, body)
  )
}

/** The body as text, unpacked if it is gzip. It is unpacked by another thread. */
export async function bodyText(
  { headers, body }: FastifyRequest,
  maxBytes: number
): Promise<string> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return bytes.toString()
  if (encoding !== 'gzip' && encoding !== 'x-gzip') throw unsupportedEncoding()
  try {
    return (await unzip(bytes, { maxOutputLength: maxBytes })).toString()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw code === 'ERR_BUFFER_TOO_LARGE' ? payloadTooLarge() : badRequest(`gzip: ${message}`)
  }
}
