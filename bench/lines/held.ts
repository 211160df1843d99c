import { join } from 'node:path'
import { Child } from '../child.ts'
import type { HeldQuestion } from '../children/held.ts'
import { whole } from '../figures.ts'
import type { Bench, Line, Row } from '../line.ts'

const TOPICS = 100_000
const SESSIONS = 10_000
const FILTERS = 10

export const heldLine: Line = {
  name: 'held',
  about: 'memory of a topic with a value, and of a kept MQTT session',
  async run(bench) {
    const directory = join(bench.workDir, 'held')
    return [
      await measure(bench, `a topic, of ${whole(TOPICS)}`, { kind: 'topics', count: TOPICS }),
      await measure(bench, `a kept session with ${FILTERS} filters, of ${whole(SESSIONS)}`, {
        ...{ kind: 'sessions', count: SESSIONS, filters: FILTERS, directory }
      })
    ]
  }
}

/** Each in a separate process. */
async function measure(bench: Bench, what: string, question: HeldQuestion): Promise<Row> {
  bench.say(`held: ${what}`)
  const child = new Child<HeldQuestion, number>('held')
  const bytes = await child.ask(question)
  await child.stop()
  bench.note(`held, ${what}`, bytes)
  const none = { floor: '', ratio: undefined, goal: '', isMet: undefined }
  return { line: 'held', what, subject: `${whole(bytes)} bytes`, ...none }
}
