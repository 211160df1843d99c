import { mib } from '../figures.ts'
import type { Line } from '../line.ts'
import { measureIngest } from './ingest.ts'

const GOAL = 2 ** 30

export const memoryLine: Line = {
  name: 'memory',
  about: 'resident memory at rest and after the ingest run, to bare Aedes',
  async run(bench) {
    const { memory } = await measureIngest(bench)
    const row = (what: string, of: 'atRest' | 'afterLoad') => ({
      line: 'memory',
      what,
      subject: mib(memory.subject[of]),
      floor: mib(memory.floor[of]),
      ratio: memory.subject[of] / memory.floor[of],
      goal: '',
      isMet: undefined
    })
    const { peak = memory.subject.afterLoad } = memory.subject
    return [
      row('at rest, nothing stored', 'atRest'),
      {
        ...row('at the end of the ingest run', 'afterLoad'),
        goal: '< 1 024 MiB',
        isMet: memory.subject.afterLoad < GOAL
      },
      {
        ...row('the most it ever was', 'afterLoad'),
        subject: mib(peak),
        floor: mib(memory.floor.peak ?? memory.floor.afterLoad),
        ratio: peak / (memory.floor.peak ?? memory.floor.afterLoad)
      }
    ]
  }
}
