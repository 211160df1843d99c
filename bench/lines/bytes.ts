import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { lineHeader, lineTopic, sampleLine } from '../../src/lib/sample-lines.ts'
import { DAY, MINUTE, unixMs } from '../../src/lib/unix-time.ts'
import { Caracal } from '../caracal.ts'
import { Child } from '../child.ts'
import type { FillAnswer, FillQuestion } from '../children/fill.ts'
import { whole } from '../figures.ts'
import type { Bench, Line, Row } from '../line.ts'
import { isInfluxInstalled, startInfluxPeer } from '../peers/influx.ts'
import { bytesOf, fillPeers, type Peer } from '../peers/peer.ts'
import { isVictoriaInstalled, startVictoriaPeer } from '../peers/victoria.ts'
import { postFile } from '../post-file.ts'
import { timestampAt, topicOf, valueAt } from '../samples.ts'
import { type Filling, fill, samplesIn } from '../store.ts'

const TOPICS = 50
const END_MS = Date.UTC(2025, 5, 29)

const shapes = [
  { rhythm: 'live', what: 'live: jitter, 5 % late', goal: 4 },
  { rhythm: 'regular', what: 'imported, regular', goal: 1.2 }
] as const

export const bytesLine: Line = {
  name: 'bytes',
  about: 'bytes of the files per sample, to VictoriaMetrics and InfluxDB 1',
  async run(bench) {
    if (!isVictoriaInstalled())
      bench.lacks('bytes of VictoriaMetrics', 'victoria-metrics', 'victoria-metrics')
    if (!isInfluxInstalled()) bench.lacks('bytes of InfluxDB', 'influxd', 'influxdb')
    const rows: Row[] = []
    for (const { rhythm, what, goal } of shapes) {
      const caracal = await Caracal.start(join(bench.workDir, `bytes-${rhythm}`))
      const installations = await caracal.createInstallations(1)
      const from = END_MS - bench.sizes.byteDays * DAY
      const filling: Filling = { installations, topics: TOPICS, from, to: END_MS, rhythm }
      const samples = samplesIn(filling)
      bench.say(`bytes, ${what}: filling Caracal with ${whole(samples)} samples`)
      const files = await bytesOfCaracal(bench, caracal, filling)
      const peers = await bytesOfPeers(bench, filling)
      bench.note(`bytes, ${what}`, { samples, files, peers })
      const text = (bytes: number) => `${(bytes / samples).toFixed(2)} bytes`
      const row = {
        ...{ line: 'bytes', subject: text(files), floor: '', ratio: undefined },
        ...{ goal: `<= ${goal} bytes`, isMet: files / samples <= goal }
      }
      const whatOf = (name: string) => `${what}, ${(samples / 1e6).toFixed(1)} M samples${name}`
      if (peers.size === 0) rows.push({ ...row, what: whatOf('') })
      for (const [name, bytes] of peers) {
        const compared = { floor: text(bytes), ratio: files / bytes }
        rows.push({ ...row, ...compared, what: whatOf(`, to ${name}`) })
      }
    }
    return rows
  }
}

/** Samples of devices go to history as the spool hands them over, a file goes through the import. */
async function bytesOfCaracal(bench: Bench, caracal: Caracal, filling: Filling): Promise<number> {
  const dataDir = join(bench.workDir, `bytes-${filling.rhythm}`)
  const [{ id = 0 } = {}] = filling.installations
  if (filling.rhythm === 'regular') {
    const file = join(bench.workDir, 'bytes.csv')
    await writeFile(file, filling)
    await postFile(`${caracal.url}/api/v3beta/log/${id}/import`, file, {
      'x-api-key': await caracal.token(),
      'content-type': 'text/csv'
    })
    await caracal.stop()
  } else {
    await caracal.stop()
    await fill(bench, dataDir, filling)
  }
  await pack(dataDir, id, samplesIn(filling))
  return bytesOf(join(dataDir, 'history'))
}

async function pack(dataDir: string, installation_id: number, samples: number): Promise<void> {
  const child = new Child<FillQuestion, FillAnswer>('fill')
  await child.ask({ kind: 'open', dataDir })
  await child.ask({ kind: 'pack' })
  const stored = await child.ask({ kind: 'count', installation_id })
  await child.ask({ kind: 'close' })
  await child.stop()
  if (stored !== samples) throw new Error(`${stored} of ${samples} samples are stored`)
}

/** In order of time, as an export writes it. */
async function writeFile(path: string, filling: Filling): Promise<void> {
  const { installations, topics, from, to, rhythm } = filling
  const client_id = installations[0]?.client_id ?? 0
  const names = Array.from({ length: topics }, (_, topic) =>
    lineTopic('csv', topicOf(client_id, topic))
  )
  function* lines() {
    yield lineHeader('csv')
    for (let minute = from; minute < to; minute += MINUTE) {
      let text = ''
      for (const [series, name] of names.entries()) {
        const timestamp = unixMs(timestampAt(rhythm, series, minute))
        text += sampleLine('csv', name, { timestamp, value: valueAt(series, minute), msg: '' })
      }
      yield text
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(path))
}

/** By the name of the peer. */
async function bytesOfPeers(bench: Bench, filling: Filling): Promise<Map<string, number>> {
  const peers: Peer[] = []
  if (isVictoriaInstalled()) peers.push(await startVictoriaPeer(bench, `bytes-${filling.rhythm}`))
  if (isInfluxInstalled()) peers.push(await startInfluxPeer())
  if (peers.length > 0) await fillPeers(bench, peers, filling)
  const bytes = new Map(peers.map((peer) => [peer.name, peer.bytes()]))
  for (const peer of peers) await peer.stop()
  return bytes
}
