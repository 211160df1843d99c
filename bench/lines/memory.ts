import { mib } from '../figures.ts'
import type { Line } from '../line.ts'
import { measureIngest } from './ingest.ts'

const goals = { atRest: 150 * 2 ** 20, afterLoad: 512 * 2 ** 20 } as const

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
      goal: `< ${mib(goals[of])}`,
      isMet: memory.subject[of] < goals[of]
    })
    const { peak = memory.subject.afterLoad } = memory.subject
    return [
      row('at rest, nothing stored', 'atRest'),
      row('at the end of the ingest run', 'afterLoad'),
      {
        ...row('the most it ever was', 'afterLoad'),
        subject: mib(peak),
        floor: mib(memory.floor.peak ?? memory.floor.afterLoad),
        ratio: peak / (memory.floor.peak ?? memory.floor.afterLoad),
        ...{ goal: '', isMet: undefined }
      }
    ]
  }
}
