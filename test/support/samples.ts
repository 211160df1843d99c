import type { Page } from '../../src/history/history.ts'
import { latestTexts } from '../../src/history/latest/texts.ts'
import { encodeSample, type Sample } from '../../src/lib/sample.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import type { TestPlatform } from './platform.ts'

let last = 0

/** Writes directly to history and the latest values, as if the samples had arrived long ago. */
export async function store(
  { deps: { history, latest } }: TestPlatform,
  { id: installation_id, client_id }: { id: number; client_id: number },
  samples: readonly (Partial<Sample> & { topic: string })[]
): Promise<Sample[]> {
  const stored = samples.map((fields) => ({
    ...{ id: ++last, installation_id, client_id, value: 1, msg: '', timestamp: unixMs(1000) },
    ...fields,
    topic: `${client_id}/${fields.topic}`
  }))
  await history.append(Buffer.from(stored.map(encodeSample).join('')), `stored before ${last}`)
  for (const sample of stored) latest.stored(sample)
  return stored
}

/** The latest values as status answers them, without the brackets. */
export async function statusText(
  parts: Parameters<typeof latestTexts>[0],
  installationId: number
): Promise<string> {
  const texts: string[] = []
  for await (const text of latestTexts(parts, installationId, undefined)) texts.push(text)
  return texts.join()
}

/** The rows of a page of history, as JSON objects joined by commas. */
export const rowsText = ({ rows }: Pick<Page, 'rows'>): string =>
  rows.map((part) => Buffer.from(part).toString()).join()
