import { join } from 'node:path'
import { measureInTurn } from '../alternating.ts'
import { Caracal } from '../caracal.ts'
import type { Line } from '../line.ts'
import { topicsOf } from '../site.ts'
import { installations as installationCount } from '../sizes.ts'

const GOAL_RATIO = 0.8

/** The same payload as the plain samples, so that only the mapping is more work. */
const mapping = {
  filter: 'dev/#',
  values: [{ path: 'value', topic: 'obj/{2}/{3}', timestamp: { path: 'timestamp', format: 's' } }]
}

export const mappingLine: Line = {
  name: 'mapping',
  about: 'messages that a mapping makes samples of, to plain samples',
  async run(bench) {
    const caracal = await Caracal.start(join(bench.workDir, 'mapping'))
    const installations = await caracal.createInstallations(installationCount)
    for (const { id } of installations) await caracal.request(`POST /api/v2/mapping/${id}`, mapping)
    const plain = topicsOf(installations)
    const mapped = plain.map((topics) => topics.map((topic) => topic.replace('/obj/', '/dev/')))
    const row = await measureInTurn(bench, {
      ...{ line: 'mapping', what: 'one value of each message, to plain samples' },
      ...{ caracal, installations, goalRatio: GOAL_RATIO },
      subject: { name: 'mapped messages', topics: mapped, level: 4 },
      floor: { name: 'plain samples', topics: plain, level: 4 }
    })
    await caracal.stop()
    return [row]
  }
}
