/** A download that is under way: how it ends, and who hears how many bytes have come. */
export type Coming = { signal: AbortSignal; show: (bytes: number) => void }

/** The whole body of an answer. */
export function blobOf(answer: Response, show: Coming['show']): Promise<Blob> {
  let bytes = 0
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(part, out) {
      bytes += part.byteLength
      show(bytes)
      out.enqueue(part)
    }
  })
  const headers = { 'content-type': answer.headers.get('content-type') ?? '' }
  return new Response(answer.body?.pipeThrough(counted), { headers }).blob()
}
