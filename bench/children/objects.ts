import { sql } from 'kysely'
import pino from 'pino'
import { foldMarks } from '../../src/features/search/fold.ts'
import { Indexer } from '../../src/features/search/indexer.ts'
import { fold } from '../../src/lib/meta-filter.ts'
import { insertInstallation } from '../../src/registry/installations.ts'
import { IDS_PER_BLOCK, insertModelx } from '../../src/registry/modelx.ts'
import { openRegistry } from '../../src/registry/open.ts'
import { markForSearch } from '../../src/registry/search-marks.ts'
import type { Registry } from '../../src/registry/tables.ts'
import { answerWith } from '../child.ts'
import { type BenchObject, objectAt } from '../objects.ts'

export type ObjectsQuestion =
  | { kind: 'open'; dataDir: string; isDurable: boolean; url?: string }
  | { kind: 'install'; count: number }
  | { kind: 'fill'; from: number; to: number; installations: number }
  | { kind: 'fold'; batches: number }
  /** Writes objects one after the other for this time, with the index or as if there were no search. */
  | { kind: 'write'; isIndexed: boolean; from: number; installations: number; ms: number }
  | { kind: 'close' }
/** `count`: marks that are left, or written objects. `settledMs`: the time until they were indexed too. */
export type ObjectsAnswer = { count: number; ms: number; settledMs: number }

let registry: Registry
const OBJECTS_PER_INSERT = 500
const now = 1_700_000_000_000
const none = { count: 0, ms: 0, settledMs: 0 }

async function answer(question: ObjectsQuestion): Promise<ObjectsAnswer> {
  switch (question.kind) {
    case 'open':
      registry = await openRegistry({ url: question.url ?? '', dataDir: question.dataDir })
      // Filling is not measured, so it is not durable: after a crash it is done again.
      if (!question.isDurable) await sql`pragma synchronous = off`.execute(registry)
      return none
    case 'install':
      for (let i = 0; i < question.count; i++) await install(i)
      return none
    case 'fill':
      for (let from = question.from; from < question.to; from += OBJECTS_PER_INSERT)
        await fill(from, question)
      return none
    case 'fold':
      for (let i = 0; i < question.batches; i++) if (!(await foldMarks(registry, 2000))) break
      return { ...none, count: await marks() }
    case 'write':
      return measure(question)
    case 'close':
      await registry.destroy()
      return none
  }
}

const install = (i: number) =>
  registry
    .transaction()
    .execute((registry) =>
      insertInstallation(registry, { name: `Site ${i}`, organization_id: 1 }, now)
    )

const fieldsOf = ({ type, meta }: BenchObject) => ({
  type,
  meta: JSON.stringify(meta),
  protected_meta: '{}'
})

/** Like `insertModelx`, but many at once, because one by one takes half an hour. */
const fill = (from: number, { to, installations }: { to: number; installations: number }) =>
  registry.transaction().execute(async (registry) => {
    const count = Math.min(OBJECTS_PER_INSERT, to - from)
    const objects = Array.from({ length: count }, (_, i) => objectAt(from + i, installations))
    const rows = await registry
      .insertInto('modelx')
      .values(objects.map(rowOf))
      .returning(['id', 'kind', 'installation_id'])
      .execute()
    for (const kind of ['device', 'function'] as const) {
      const ids = rows.filter((row) => row.kind === kind).map(({ id }) => id)
      await markForSearch(registry, kind, ids)
    }
    const blocks = Map.groupBy(
      rows.map(({ id, ...row }) => ({ ...row, block: Math.floor(id / IDS_PER_BLOCK) })),
      ({ kind, installation_id, block }) => `${kind} ${installation_id} ${block}`
    )
    const counts = [...blocks.values()].flatMap(([row, ...more]) =>
      row ? [{ ...row, count: 1 + more.length }] : []
    )
    await registry
      .insertInto('modelx_counts')
      .values(counts)
      .onConflict((conflict) =>
        conflict
          .columns(['installation_id', 'kind', 'block'])
          .doUpdateSet({ count: sql`modelx_counts.count + excluded.count` })
      )
      .execute()
  })

const rowOf = (object: BenchObject) => {
  const { kind, home, type } = object
  const fields = { ...fieldsOf(object), type_folded: fold(type) }
  return { kind, installation_id: home + 1, ...fields, created: now, updated: now }
}

const write = (object: BenchObject) =>
  insertModelx(registry, object.kind, object.home + 1, fieldsOf(object), now)

async function marks(): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from search_marks`.execute(
    registry
  )
  return rows[0]?.n ?? 0
}

async function measure({
  isIndexed,
  from,
  installations,
  ms
}: Extract<ObjectsQuestion, { kind: 'write' }>): Promise<ObjectsAnswer> {
  const indexer = new Indexer({ registry, log: pino({ level: 'silent' }) })
  if (isIndexed) indexer.start()
  const start = performance.now()
  let count = 0
  while (performance.now() - start < ms) {
    const object = objectAt(from + count, installations)
    await (isIndexed ? write(object) : writeUnmarked(object))
    count++
    // As between requests, so that other work gets a turn.
    await new Promise(setImmediate)
  }
  const writing = performance.now() - start
  while (isIndexed && (await marks()) > 0) await new Promise((next) => setTimeout(next, 20))
  const settledMs = performance.now() - start
  await indexer.stop()
  return { count, ms: writing, settledMs }
}

/** Like `insertModelx`, but without the mark. */
const writeUnmarked = (object: BenchObject) =>
  registry.transaction().execute(async (registry) => {
    const { kind } = object
    const installation = await registry
      .selectFrom('installations')
      .select('id')
      .where('id', '=', object.home + 1)
      .executeTakeFirstOrThrow()
    const row = await registry
      .insertInto('modelx')
      .values(rowOf(object))
      .returning('id')
      .executeTakeFirstOrThrow()
    await registry
      .insertInto('modelx_counts')
      .values({
        installation_id: installation.id,
        kind,
        block: Math.floor(row.id / IDS_PER_BLOCK),
        count: 1
      })
      .onConflict((conflict) =>
        conflict
          .columns(['installation_id', 'kind', 'block'])
          .doUpdateSet({ count: sql`modelx_counts.count + 1` })
      )
      .execute()
  })

answerWith(answer)
