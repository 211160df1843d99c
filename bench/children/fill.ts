import type { History } from '../../src/history/history.ts'
import { openHistory } from '../../src/history/open.ts'
import { encodeSample } from '../../src/lib/sample.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import type { Installation } from '../caracal.ts'
import { answerWith } from '../child.ts'
import { MINUTE, topicsPerInstallation } from '../store.ts'

export type FillQuestion =
  | { kind: 'open'; dataDir: string }
  | { kind: 'append'; installations: Installation[]; from: number; to: number }
  | { kind: 'close' }

let history: History
let id = 0

async function answer(question: FillQuestion): Promise<void> {
  if (question.kind === 'open') history = (await openHistory({ ...question, url: '' })).history
  else if (question.kind === 'close') await history.close()
  else await history.append(Buffer.from(linesOf(question).join('')), `bench-${question.from}`)
}

/** In the order of arrival, as a day brings them: minute by minute, every topic once. */
function linesOf(batch: Extract<FillQuestion, { kind: 'append' }>): string[] {
  const lines: string[] = []
  for (let minute = batch.from; minute < batch.to; minute += MINUTE) {
    for (const [place, { id: installation_id, client_id }] of batch.installations.entries()) {
      for (let topic = 0; topic < topicsPerInstallation; topic++) {
        const timestamp = unixMs(minute + ((place * topicsPerInstallation + topic) % 500) * 100)
        const value = Math.round(200 + 50 * Math.sin(timestamp / 4e6 + topic) + (++id % 7)) / 10
        lines.push(
          encodeSample({
            ...{ id, installation_id, client_id, timestamp, value, msg: '' },
            topic: `${client_id}/obj/room_${topic}/temperature`
          })
        )
      }
    }
  }
  return lines
}

answerWith(answer)
