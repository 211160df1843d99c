import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { MINUTE } from '../../src/lib/unix-time.ts'
import { whole } from '../figures.ts'
import type { Bench } from '../line.ts'
import { timestampAt, valueAt } from '../samples.ts'
import { type Filling, samplesIn } from '../store.ts'

/** Another program that keeps samples. It gets the same ones as Caracal, over HTTP. */
export type Peer = {
  name: string
  /** Line protocol of InfluxDB, in milliseconds. */
  write(lines: readonly string[]): Promise<void>
  /** Everything that was written is found, and merged as far as the program does that. */
  settle(): Promise<void>
  /** All samples from one moment to another (exclusive). */
  count(from: number, to: number): Promise<number>
  /** Of its files. */
  bytes(): number
  stop(): Promise<void>
}

const LINES_PER_REQUEST = 50_000

/** Topic after topic, each in order of time, which is the best case of the peers. */
export async function fillPeers(
  bench: Bench,
  peers: readonly Peer[],
  filling: Filling
): Promise<void> {
  const { installations, topics, from, to, rhythm } = filling
  const names = peers.map(({ name }) => name).join(' and ')
  // The next lines are made while the peers store the ones before.
  let writing: Promise<unknown> = Promise.resolve()
  const write = async (lines: readonly string[]) => {
    await writing
    writing = Promise.all(peers.map((peer) => peer.write(lines)))
    writing.catch(() => {})
  }
  for (const [place, { id }] of installations.entries()) {
    if (place % 10 === 0)
      bench.say(`filling ${names}, ${place} of ${installations.length} installations`)
    for (let topic = 0; topic < topics; topic++) {
      const series = place * topics + topic
      let lines: string[] = []
      for (let minute = from; minute < to; minute += MINUTE) {
        const timestamp = timestampAt(rhythm, series, minute)
        lines.push(`s,i=${id},t=${topic} v=${valueAt(series, minute)} ${timestamp}`)
        if (lines.length < LINES_PER_REQUEST) continue
        await write(lines)
        lines = []
      }
      await write(lines)
    }
  }
  await writing
  for (const peer of peers) {
    bench.say(`waiting until ${peer.name} has merged its files`)
    await peer.settle()
    const [found, samples] = [await peer.count(from, to), samplesIn(filling)]
    if (found !== samples) {
      throw new Error(`${peer.name} has ${whole(found)} of ${whole(samples)} samples`)
    }
  }
}

/** The bytes of all files of a directory, without holes. */
export const bytesOf = (directory: string): number =>
  filesOf(directory).reduce((sum, { bytes }) => sum + bytes, 0)

function filesOf(directory: string): { path: string; bytes: number }[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true }).flatMap((entry) => {
    if (!entry.isFile()) return []
    const path = join(entry.parentPath, entry.name)
    const { size, blocks } = lstatSync(path, { throwIfNoEntry: false }) ?? { size: 0, blocks: 0 }
    return [{ path, bytes: Math.min(size, blocks * 512) }]
  })
}

/** Resolves when the files of a directory have not changed for so long. */
export async function whenStill(directory: string, quietMs: number): Promise<void> {
  const look = () => {
    try {
      return JSON.stringify(filesOf(directory))
    } catch {
      // A directory was removed while its files were listed.
      return ''
    }
  }
  let [last, since] = [look(), performance.now()]
  while (performance.now() - since < quietMs) {
    await wait(500)
    const now = look()
    if (now !== last) [last, since] = [now, performance.now()]
  }
}
