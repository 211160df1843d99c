import { join } from 'node:path'
import { openSqliteFile, packsIn } from '../../src/history/sqlite/file.ts'
import { SqliteWriter } from '../../src/history/sqlite/writer.ts'
import { encodeFrom, encodeSource } from '../../src/lib/sample.ts'
import { MINUTE, unixMs } from '../../src/lib/unix-time.ts'
import type { Installation } from '../caracal.ts'
import { answerWith } from '../child.ts'
import { topicOf, valueAt } from '../samples.ts'

/** So many frozen tables of rows, one value a minute for each topic, from `from` on. */
export type BacklogQuestion = {
  dataDir: string
  installations: Installation[]
  topics: number
  from: number
  tables: number
  minutesPerTable: number
}

/** Fewer samples of a topic than history packs at once, so that they become rows. */
const MINUTES_PER_BATCH = 100

/** Answers the number of rows. */
async function fillBacklog(question: BacklogQuestion): Promise<number> {
  const { dataDir, installations, topics, from, tables, minutesPerTable } = question
  const directory = join(dataDir, 'history/sqlite')
  const writer = new SqliteWriter(openSqliteFile(directory, 'writer'), packsIn(directory))
  const sources = installations.flatMap(({ id: installation_id, client_id }) =>
    Array.from({ length: topics }, (_, topic) =>
      encodeSource({ installation_id, client_id, topic: topicOf(client_id, topic) })
    )
  )
  let rows = 0
  for (let minute = 0; minute < tables * minutesPerTable; minute += MINUTES_PER_BATCH) {
    let text = ''
    for (let i = 0; i < MINUTES_PER_BATCH; i++) {
      const timestamp = unixMs(from + (minute + i) * MINUTE)
      for (const [series, source] of sources.entries()) {
        const value = valueAt(series, timestamp)
        text += encodeFrom(source, { id: timestamp * 1000 + series, timestamp, value, msg: '' })
      }
    }
    rows += writer.append(Buffer.from(text), `backlog ${minute}`, unixMs(Date.now()))
    if ((minute + MINUTES_PER_BATCH) % minutesPerTable === 0) writer.freeze()
  }
  writer.close()
  return rows
}

answerWith(fillBacklog)
