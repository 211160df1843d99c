import { createReadStream, statSync } from 'node:fs'
import { request } from 'node:http'
import { pipeline } from 'node:stream/promises'

const BYTES_PER_READ = 1 << 18

/** Sends a file as it is read, and resolves with the text of the answer. */
export async function postFile(
  url: string,
  file: string,
  headers: Record<string, string>
): Promise<string> {
  const answer = Promise.withResolvers<string>()
  const sending = request(
    url,
    { method: 'POST', headers: { ...headers, 'content-length': statSync(file).size } },
    async (response) => {
      const text = Buffer.concat(await response.toArray()).toString()
      const { statusCode = 0 } = response
      if (statusCode >= 200 && statusCode < 300) answer.resolve(text)
      else answer.reject(new Error(`${url}: ${statusCode} ${text}`))
    }
  )
  sending.on('error', answer.reject)
  await pipeline(createReadStream(file, { highWaterMark: BYTES_PER_READ }), sending)
  return answer.promise
}

/** Sends the lines of a file in requests of a limited size, one after the other. */
export async function postLines(url: string, file: string, bytesPerRequest: number): Promise<void> {
  let rest = Buffer.alloc(0)
  const post = async (body: Buffer) => {
    const response = await fetch(url, { method: 'POST', body: new Uint8Array(body) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`)
  }
  for await (const chunk of createReadStream(file, { highWaterMark: bytesPerRequest })) {
    const lines = Buffer.concat([rest, chunk])
    const end = lines.lastIndexOf(10) + 1
    await post(lines.subarray(0, end))
    rest = lines.subarray(end)
  }
  if (rest.length > 0) await post(rest)
}
