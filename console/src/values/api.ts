import type { Schemas } from '../../../tools/client/client.ts'
import { blobOf, type Coming } from '../session/coming.ts'
import { call } from '../session/session.ts'

/** Values of these topics and times; an empty list of topics is all of them. Times in seconds. */
export type Stretch = { topics: readonly string[]; from?: number; to?: number }
export type Format = 'csv' | 'ndjson'

export async function exported(
  installation_id: number,
  { topics, from, to, format }: Stretch & { format: Format },
  { signal, show }: Coming
): Promise<Blob> {
  const sent = { path: { installation_id }, query: { topics, from, to, format } }
  const answer = await call((caracal) =>
    caracal.raw('GET', '/api/v3beta/log/{installation_id}/export', sent, signal)
  )
  return blobOf(answer, show)
}

const TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson'
}

export async function imported(
  installation_id: number,
  file: File,
  signal: AbortSignal
): Promise<Schemas['ImportResult']> {
  const type = TYPES[/\.(nd)?json[l]?(\.gz)?$/i.test(file.name) ? 'ndjson' : 'csv']
  const header = {
    'content-type': type,
    ...(file.name.toLowerCase().endsWith('.gz') && { 'content-encoding': 'gzip' })
  }
  const sent = { path: { installation_id }, header, body: file }
  const answer = await call((caracal) =>
    caracal.raw('POST', '/api/v3beta/log/{installation_id}/import', sent, signal)
  )
  return (await answer.json()) as Schemas['ImportResult']
}

/** How many values there are. */
export async function countOf(
  installation_id: number,
  { topics, from, to }: Stretch
): Promise<number> {
  const { total } = await call((caracal) =>
    caracal.post('/api/v3beta/log/{installation_id}', {
      path: { installation_id },
      query: { from, to, limit: 1 },
      body: [...topics]
    })
  )
  return total
}

export async function deleted(
  installation_id: number,
  { topics, from, to }: Required<Stretch>
): Promise<number> {
  const { count } = await call((caracal) =>
    caracal.delete('/api/v3beta/log/{installation_id}', {
      path: { installation_id },
      query: { topics: [...topics], from, to }
    })
  )
  return count
}
