import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { unixMs } from '../../src/lib/unix-time.ts'
import { FrameWriter } from '../../src/site/frames.ts'
import { readSite, type SitePart } from '../../src/site/reading.ts'

/** Reads a file to its end, as an import does first. */
export async function readWhole(path: string): Promise<SitePart[]> {
  const parts: SitePart[] = []
  const signal = new AbortController().signal
  const reading = { now: unixMs(Date.now()), signal, onProgress: () => {} }
  for await (const part of readSite(path, reading)) parts.push(part)
  return parts
}

export function flippedCopy(path: string, at: number): string {
  const copy = `${path}.flipped`
  const bytes = readFileSync(path)
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0x10, at)
  writeFileSync(copy, bytes)
  return copy
}

export function cutCopy(path: string, length: number): string {
  const copy = `${path}.cut`
  copyFileSync(path, copy)
  truncateSync(copy, length)
  return copy
}

export type Line = readonly [kind: string, record: unknown]

const at = { created: 1, updated: 1 }
export const head: Line = [
  'head',
  { program: '0.0.0', exported: 1, installation_id: 7, client_id: 1007 }
]
export const site: Line = [
  'installation',
  {
    ...{ name: 'x', notes: '', timezone: '', meta: {}, protected_meta: {}, created: 1 },
    ...{ capabilities: [], quotas: {} }
  }
]
export const device = (id: number, meta: object = {}): Line => [
  'device',
  { id, type: 't', meta, protected_meta: {}, ...at }
]

/** Writes a file by hand, with right checksums and counts. */
export async function writeSite(
  path: string,
  lines: readonly (Line | string)[],
  { rows = '', latest = '', counts = {} as Record<string, number> } = {}
): Promise<string> {
  const writer = await FrameWriter.open(path)
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
  await writer.write('record', Buffer.from(texts.map((text) => `${text}\n`).join('')))
  const counted: Record<string, number> = {}
  for (const line of lines) {
    if (typeof line !== 'string') counted[line[0]] = (counted[line[0]] ?? 0) + 1
  }
  for (const [kind, text] of [
    ['sample', rows],
    ['latest', latest]
  ] as const) {
    if (text === '') continue
    await writer.write(kind, Buffer.from(text))
    counted[kind] = text.split('\n').length - 1
  }
  await writer.end({ ...counted, ...counts })
  await writer.close()
  return path
}
