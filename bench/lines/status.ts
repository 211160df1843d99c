import { join } from 'node:path'
import { Caracal } from '../caracal.ts'
import { whole } from '../figures.ts'
import { besideBare, CONNECTIONS } from '../http-load.ts'
import type { Line } from '../line.ts'
import { applyLoad, brokerOf } from '../site.ts'

const TOPICS = 40
const GOAL_RATIO = 0.7

export const statusLine: Line = {
  name: 'status',
  about: 'requests/s of the status of 40 topics, to a bare Fastify route with the same body',
  async run(bench) {
    const caracal = await Caracal.start(join(bench.workDir, 'status'))
    const path = await publishTopics(caracal)
    const body = await caracal.request(`GET ${path}`)
    if (JSON.parse(body).length !== TOPICS) throw new Error(`status is not of ${TOPICS} topics`)
    const rate = await besideBare(bench, 'status', { caracal, path, body })
    await caracal.stop()
    const ratio = rate.subject / rate.floor
    return [
      {
        line: 'status',
        what: `40 topics, ${whole(body.length)} bytes, ${CONNECTIONS} connections`,
        subject: `${whole(rate.subject)} req/s`,
        floor: `${whole(rate.floor)} req/s`,
        ratio,
        goal: `ratio >= ${GOAL_RATIO}`,
        isMet: ratio >= GOAL_RATIO
      }
    ]
  }
}

/** Every topic of one installation gets a few values; returns the path of its status. */
async function publishTopics(caracal: Caracal): Promise<string> {
  const [installation] = await caracal.createInstallations(1)
  if (!installation) throw new Error('no installation')
  const { id, client_id } = installation
  const topics = Array.from({ length: TOPICS }, (_, i) => `${client_id}/obj/room_${i}/temperature`)
  const broker = await brokerOf(caracal)
  await applyLoad(broker, { topics: [topics], warmMs: 0, measureMs: 200, pace: { inFlight: 40 } })
  await caracal.settle()
  return `/api/v2/status/${id}`
}
