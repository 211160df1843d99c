import { sql } from 'kysely'
import pino from 'pino'
import { fillIndex } from '../../src/features/search/fold.ts'
import { Indexer } from '../../src/features/search/indexer.ts'
import { fold } from '../../src/lib/meta-filter.ts'
import { isPostgres, jsonRows, raiseLastId } from '../../src/registry/dialect.ts'
import { insertInstallation } from '../../src/registry/installations.ts'
import { IDS_PER_BLOCK, insertModelx } from '../../src/registry/modelx.ts'
import { openUnhurried } from '../../src/registry/open.ts'
import { insertOrganization } from '../../src/registry/organizations.ts'
import { soleClaims } from '../../src/registry/sqlite/claims.ts'
import type { Registry } from '../../src/registry/tables.ts'
import { answerWith } from '../child.ts'
import { type BenchObject, objectAt, organizationAt, organizationCount } from '../objects.ts'

export type ObjectsQuestion =
  | { kind: 'open'; dataDir: string; isDurable: boolean; url?: string }
  | { kind: 'install'; count: number }
  | { kind: 'fill'; from: number; to: number; installations: number }
  | { kind: 'index' }
  /** Writes objects one after the other for this time, with the index or as if there were no search. */
  | { kind: 'write'; isIndexed: boolean; from: number; installations: number; ms: number }
  | { kind: 'close' }
/** `count`: marks that are left, or written objects. `settledMs`: the time until they were indexed too. */
export type ObjectsAnswer = { count: number; ms: number; settledMs: number }

let registry: Registry
const OBJECTS_PER_INSERT = 2000
const now = 1_700_000_000_000
const none = { count: 0, ms: 0, settledMs: 0 }

async function answer(question: ObjectsQuestion): Promise<ObjectsAnswer> {
  switch (question.kind) {
    case 'open':
      registry = await openUnhurried({ url: question.url ?? '', dataDir: question.dataDir }, 'url')
      // Filling is not measured, so it is not durable: after a crash it is done again.
      if (!question.isDurable) {
        await (isPostgres(registry)
          ? sql`set synchronous_commit = off`
          : sql`pragma synchronous = off`
        ).execute(registry)
      }
      // No history is here that reserves ids. The next start reserves more.
      await registry.updateTable('id_reserves').set({ confirmed: null }).execute()
      return none
    case 'install':
      await install(question.count)
      return none
    case 'fill':
      for (let from = question.from; from < question.to; from += OBJECTS_PER_INSERT)
        await fill(from, question)
      return none
    case 'index':
      await index()
      return none
    case 'write':
      return measure(question)
    case 'close':
      await registry.destroy()
      return none
  }
}

async function install(count: number): Promise<void> {
  await registry.transaction().execute(async (registry) => {
    const organizations: number[] = []
    for (let i = 0; i < organizationCount; i++) {
      const fields = { name: `Organization ${i}`, parent_id: 1 }
      organizations.push(await insertOrganization(registry, fields, now))
    }
    for (let i = 0; i < count; i++) {
      const organization_id = organizations[organizationAt(i)] ?? 1
      await insertInstallation(registry, { name: `Site ${i}`, organization_id }, now)
    }
  })
}

const fieldsOf = ({ type, meta }: BenchObject) => ({
  type,
  meta: JSON.stringify(meta),
  protected_meta: '{}'
})

/** Only rows; counts and the index follow. One by one it takes half an hour. */
async function fill(from: number, { to, installations }: { to: number; installations: number }) {
  const count = Math.min(OBJECTS_PER_INSERT, to - from)
  const rows = Array.from({ length: count }, (_, i) => ({
    id: from + i + 1,
    ...rowOf(objectAt(from + i, installations))
  }))
  await sql`insert into modelx (${sql.join(Object.keys(modelxColumns).map((name) => sql.ref(name)))})
    select * from ${jsonRows(registry, JSON.stringify(rows), modelxColumns)}`.execute(registry)
}

const modelxColumns = {
  id: 'bigint',
  kind: 'text',
  installation_id: 'bigint',
  type: 'text',
  meta: 'text',
  protected_meta: 'text',
  type_folded: 'text',
  created: 'bigint',
  updated: 'bigint'
} as const

/** Counts what was filled, and fills the index. */
async function index(): Promise<void> {
  await sql`insert into modelx_counts (installation_id, kind, block, count)
    select installation_id, kind, id / ${sql.lit(IDS_PER_BLOCK)}, count(*) from modelx
    group by installation_id, kind, id / ${sql.lit(IDS_PER_BLOCK)}`.execute(registry)
  const { rows } = await sql<{ last: number }>`select max(id) as last from modelx`.execute(registry)
  await raiseLastId(registry, 'modelx', rows[0]?.last ?? 0)
  await sql`delete from search_marks`.execute(registry)
  await registry.transaction().execute((registry) => fillIndex(registry, () => {}))
  await sql`analyze`.execute(registry)
}

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
  const indexer = new Indexer({ registry, claims: soleClaims, log: pino({ level: 'silent' }) })
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
