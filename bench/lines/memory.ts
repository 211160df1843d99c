import { mib } from '../figures.ts'
import type { Line, Row } from '../line.ts'
import { measureIngest } from './ingest.ts'

const goals = { atRest: 150 * 2 ** 20, afterLoad: 512 * 2 ** 20 } as const

export const memoryLine: Line = {
  name: 'memory',
  about: 'resident memory at rest and after the ingest run, to bare Aedes',
  async run(bench) {
    const { subject, floor } = (await measureIngest(bench)).memory
    const row = (what: string, ours = Number.NaN, bare = Number.NaN): Row => ({
      ...{ line: 'memory', what, subject: mib(ours), floor: mib(bare), ratio: ours / bare },
      ...{ goal: '', isMet: undefined }
    })
    const rows = (when: string, of: 'atRest' | 'afterLoad'): Row[] => {
      const [ours, bare] = [subject[of], floor[of]]
      const isMet = ours.now < goals[of]
      return [
        { ...row(when, ours.now, bare.now), goal: `< ${mib(goals[of])}`, isMet },
        row(`${when}, without mapped files`, ours.own, bare.own)
      ]
    }
    return [
      ...rows('at rest, nothing stored', 'atRest'),
      ...rows('at the end of the ingest run', 'afterLoad'),
      row('the most it ever was', subject.settled.peak, floor.settled.peak)
    ]
  }
}
