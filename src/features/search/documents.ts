import { sql } from 'kysely'
import { isOneOf } from '../../registry/dialect.ts'
import { readMeta } from '../../registry/meta.ts'
import type { ModelxRow } from '../../registry/modelx.ts'
import type { ModelxKind, Registry, SearchKind } from '../../registry/tables.ts'
import { modelxName, type SearchDocument } from './document.ts'

/**
 * Reads the documents in the rising order of their ids. Deleted ones are left out. The metadata of
 * a document is parsed when the caller reaches it.
 */
export const readDocuments = (
  registry: Registry,
  kind: SearchKind,
  ids: readonly number[]
): Promise<Iterable<SearchDocument>> =>
  kind === 'installation' ? readInstallations(registry, ids) : readModelx(registry, kind, ids)

async function readModelx(
  registry: Registry,
  kind: ModelxKind,
  ids: readonly number[]
): Promise<Iterable<SearchDocument>> {
  const rows = await registry
    .selectFrom('modelx')
    .innerJoin('installations', 'installations.id', 'modelx.installation_id')
    .select([
      'modelx.id',
      'modelx.installation_id',
      'installations.organization_id',
      'modelx.type',
      'modelx.meta',
      'modelx.protected_meta',
      'modelx.created',
      'modelx.updated'
    ])
    .where('modelx.kind', '=', kind)
    .where(isOneOf(registry, sql.ref('modelx.id'), ids))
    .orderBy('modelx.id')
    .execute()
  return parsed(kind, rows)
}

type ObjectRow = ModelxRow & { organization_id: number }

function* parsed(kind: ModelxKind, rows: readonly ObjectRow[]): Generator<SearchDocument> {
  for (const row of rows) {
    const meta = JSON.parse(row.meta)
    yield {
      kind,
      id: row.id,
      name: modelxName(row.type, row.id, meta),
      type: row.type,
      notes: meta['note'] ?? '',
      clientId: null,
      installationId: row.installation_id,
      organizationId: row.organization_id,
      meta,
      protectedMeta: row.protected_meta === '{}' ? {} : JSON.parse(row.protected_meta),
      created: row.created,
      updated: row.updated
    }
  }
}

async function readInstallations(
  registry: Registry,
  ids: readonly number[]
): Promise<SearchDocument[]> {
  const rows = await registry
    .selectFrom('installations')
    .selectAll()
    .where(isOneOf(registry, sql.ref('id'), ids))
    .orderBy('id')
    .execute()
  const metaOf = await readMeta(registry, 'installation', ids)
  return rows.map((row) => {
    const { meta, protected_meta } = metaOf(row.id)
    return {
      kind: 'installation',
      id: row.id,
      name: row.name,
      type: null,
      notes: row.notes,
      clientId: row.client_id,
      installationId: row.id,
      organizationId: row.organization_id,
      meta,
      protectedMeta: protected_meta,
      created: row.created,
      updated: row.updated
    }
  })
}
