import { join } from 'node:path'
import type { Backup } from '../../src/backup/make.ts'
import { follow } from '../../src/cli/ask.ts'
import { findPlace } from '../../src/platform/control/place.ts'
import type { LoadResult } from '../children/mqtt-load.ts'
import { ms, whole } from '../figures.ts'
import type { Line, Row } from '../line.ts'
import { undisturbed } from '../quiet.ts'
import { applyLoad, openSite } from '../site.ts'
import { latencyOf } from './ack.ts'
import { measureIngest } from './ingest.ts'

const GOAL_MS = 100
const KEPT = 2

export const backupLine: Line = {
  name: 'backup',
  about: 'time to the acknowledgement at half of the ingest rate, while one backup follows another',
  async run(bench) {
    const { rate } = await measureIngest(bench)
    const perSecond = Math.round(rate.subject / 2)
    const { rounds, warmMs, measureMs } = bench.sizes
    const { caracal, topics, brokers, close } = await openSite(bench, 'backup')
    const load = { topics, warmMs, measureMs, pace: { perSecond } }
    const place = findPlace(join(bench.workDir, 'backup'))
    if (place === undefined) throw new Error('there is no control socket')
    const directory = join(bench.workDir, 'backups')
    const backUp = () =>
      follow<Backup>(place, {
        ...{ path: '/backup', body: { directory, keep: KEPT }, onProgress: () => {} }
      })
    const alone: LoadResult[] = []
    const beside: LoadResult[] = []
    const backups: Backup[] = []
    for (let round = 1; round <= rounds; round++) {
      bench.say(`backup, round ${round} of ${rounds}: ${whole(perSecond)} msg/s alone`)
      alone.push((await undisturbed(bench, () => applyLoad(brokers.subject, load))).result)
      await caracal.settle()
      bench.say(`backup, round ${round} of ${rounds}: ${whole(perSecond)} msg/s beside backups`)
      const loading = applyLoad(brokers.subject, load)
      let isOver = false
      const ended = () => {
        isOver = true
      }
      loading.then(ended, ended)
      while (!isOver) backups.push(await backUp())
      beside.push(await loading)
      await caracal.settle()
    }
    await close()
    bench.note('backup', { perSecond, alone, beside, backups })
    const row = (name: 'p50' | 'p99'): Row => {
      const [subject, floor] = [latencyOf(beside)[name], latencyOf(alone)[name]]
      return {
        line: 'backup',
        what: `${name} of the ack at ${whole(perSecond)} msg/s, beside ${backups.length} backups`,
        ...{ subject: ms(subject), floor: ms(floor), ratio: subject / floor },
        ...{ goal: '', isMet: undefined }
      }
    }
    const { p99 } = latencyOf(beside)
    const longest = Math.max(...backups.map(({ held_ms }) => held_ms))
    const largest = Math.max(...backups.map(({ log_bytes }) => log_bytes))
    const fact = (what: string, subject: string): Row => ({
      ...{ line: 'backup', what, subject, floor: '', ratio: undefined },
      ...{ goal: '', isMet: undefined }
    })
    return [
      row('p50'),
      { ...row('p99'), goal: `< ${GOAL_MS} ms`, isMet: p99 < GOAL_MS },
      fact('the longest time in which removals waited', ms(longest)),
      fact('the largest write-ahead log meanwhile', `${whole(largest / 1024)} KiB`)
    ]
  }
}
