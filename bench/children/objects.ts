import { sql } from 'kysely'
import pino from 'pino'
import { fold } from '../../src/lib/meta-filter.ts'
import { insertInstallation } from '../../src/registry/installations.ts'
import { BLOCK, insertObject } from '../../src/registry/objects.ts'
import { openRegistry } from '../../src/registry/open.ts'
import { foldMarks } from '../../src/registry/search-fold.ts'
import { markForSearch } from '../../src/registry/search-index.ts'
import type { Registry } from '../../src/registry/tables.ts'
import { Indexer } from '../../src/workers/indexer.ts'
import { answerWith } from '../child.ts'
import { type BenchObject, objectAt } from '../objects.ts'

export type ObjectsQuestion =
  | { kind: 'open'; dataDir: string; isDurable: boolean; url?: string }
  | { kind: 'install'; count: number }
  | { kind: 'fill'; from: number; to: number; installations: number }
  | { kind: 'fold'; batches: number }
  /** Writes one after another for so long, indexed or as if there were no search. */
  | { kind: 'write'; isIndexed: boolean; from: number; installations: number; ms: number }
  | { kind: 'close' }
/** `count`: marks that are left, or objects written; `settledMs` until they were indexed too. */
export type ObjectsAnswer = { count: number; ms: number; settledMs: number }

let registry: Registry
const AT_ONCE = 500
const now = 1_700_000_000_000
const none = { count: 0, ms: 0, settledMs: 0 }

async function answer(question: ObjectsQuestion): Promise<ObjectsAnswer> {
  switch (question.kind) {
    case 'open':
      registry = await openRegistry({ url: question.url ?? '', dataDir: question.dataDir })
      // To fill is not to measure: a crash here means filling again.
      if (!question.isDurable) await sql`pragma synchronous = off`.execute(registry)
      return none
    case 'install':
      for (let i = 0; i < question.count; i++) await install(i)
      return none
    case 'fill':
      for (let from = question.from; from < question.to; from += AT_ONCE) await fill(from, question)
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

/** As `insertObject` would, but many at once: one by one takes half an hour. */
const fill = (from: number, { to, installations }: { to: number; installations: number }) =>
  registry.transaction().execute(async (registry) => {
    const count = Math.min(AT_ONCE, to - from)
    const objects = Array.from({ length: count }, (_, i) => objectAt(from + i, installations))
    const rows = await registry
      .insertInto('objects')
      .values(objects.map(rowOf))
      .returning(['id', 'kind', 'installation_id'])
      .execute()
    for (const kind of ['device', 'function'] as const) {
      const ids = rows.filter((row) => row.kind === kind).map(({ id }) => id)
      await markForSearch(registry, kind, ids)
    }
    const blocks = Map.groupBy(
      rows.map(({ id, ...row }) => ({ ...row, block: Math.floor(id / BLOCK) })),
      ({ kind, installation_id, block }) => `${kind} ${installation_id} ${block}`
    )
    const counts = [...blocks.values()].flatMap(([row, ...more]) =>
      row ? [{ ...row, count: 1 + more.length }] : []
    )
    await registry
      .insertInto('object_counts')
      .values(counts)
      .onConflict((conflict) =>
        conflict
          .columns(['installation_id', 'kind', 'block'])
          .doUpdateSet({ count: sql`object_counts.count + excluded.count` })
      )
      .execute()
  })

const rowOf = (object: BenchObject) => {
  const { kind, home, type } = object
  const fields = { ...fieldsOf(object), type_folded: fold(type) }
  return { kind, installation_id: home + 1, ...fields, created: now, updated: now }
}

const write = (object: BenchObject) =>
  insertObject(registry, object.kind, object.home + 1, fieldsOf(object), now)

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
    // As between requests: whoever else has work gets a turn.
    await new Promise(setImmediate)
  }
  const writing = performance.now() - start
  while (isIndexed && (await marks()) > 0) await new Promise((next) => setTimeout(next, 20))
  const settledMs = performance.now() - start
  await indexer.stop()
  return { count, ms: writing, settledMs }
}

/** What `insertObject` does, but for the mark. */
const writeUnmarked = (object: BenchObject) =>
  registry.transaction().execute(async (registry) => {
    const { kind } = object
    const installation = await registry
      .selectFrom('installations')
      .select('id')
      .where('id', '=', object.home + 1)
      .executeTakeFirstOrThrow()
    const row = await registry
      .insertInto('objects')
      .values(rowOf(object))
      .returning('id')
      .executeTakeFirstOrThrow()
    await registry
      .insertInto('object_counts')
      .values({
        installation_id: installation.id,
        kind,
        block: Math.floor(row.id / BLOCK),
        count: 1
      })
      .onConflict((conflict) =>
        conflict
          .columns(['installation_id', 'kind', 'block'])
          .doUpdateSet({ count: sql`object_counts.count + 1` })
      )
      .execute()
  })

answerWith(answer)
