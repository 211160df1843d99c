import { call } from '../session/session.ts'

export type Format = 'csv' | 'ndjson'
type Asked = { from: number | undefined; to: number | undefined; format: Format }
type Way = { signal: AbortSignal; shows: (bytes: number) => void }

/** All values of the time as a file. `shows` gets how much has arrived. */
export async function exportValues(
  installation_id: number,
  query: Asked,
  { signal, shows }: Way
): Promise<Blob> {
  const answer = await call((caracal) =>
    caracal.raw(
      'GET',
      '/api/v3beta/log/{installation_id}/export',
      { path: { installation_id }, query },
      signal
    )
  )
  let bytes = 0
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(part, out) {
      bytes += part.byteLength
      shows(bytes)
      out.enqueue(part)
    }
  })
  const type = answer.headers.get('content-type') ?? ''
  return new Response(answer.body?.pipeThrough(counted), {
    headers: { 'content-type': type }
  }).blob()
}
