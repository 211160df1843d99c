import { sql } from 'kysely'
import { objectName, type SearchDocument } from '../lib/search-document.ts'
import type { SearchKind } from '../lib/search-query.ts'
import { isOneOf } from './dialect.ts'
import { readMeta } from './meta.ts'
import type { StoredObject } from './objects.ts'
import type { ObjectKind, Registry } from './tables.ts'

/**
 * In the order of the ids, which rise. What is gone, with its installation or alone, is left out.
 * Metadata are parsed one by one, when it is their turn.
 */
export const readDocuments = (
  registry: Registry,
  kind: SearchKind,
  ids: readonly number[]
): Promise<Iterable<SearchDocument>> =>
  kind === 'installation' ? readInstallations(registry, ids) : readObjects(registry, kind, ids)

async function readObjects(
  registry: Registry,
  kind: ObjectKind,
  ids: readonly number[]
): Promise<Iterable<SearchDocument>> {
  const rows = await registry
    .selectFrom('objects')
    .innerJoin('installations', 'installations.id', 'objects.installation_id')
    .select([
      'objects.id',
      'objects.installation_id',
      'installations.organization_id',
      'objects.type',
      'objects.meta',
      'objects.protected_meta',
      'objects.created',
      'objects.updated'
    ])
    .where('objects.kind', '=', kind)
    .where(isOneOf(registry, sql.ref('objects.id'), ids))
    .orderBy('objects.id')
    .execute()
  return parsed(kind, rows)
}

type ObjectRow = StoredObject & { organization_id: number }

function* parsed(kind: ObjectKind, rows: readonly ObjectRow[]): Generator<SearchDocument> {
  for (const row of rows) {
    const meta = JSON.parse(row.meta)
    yield {
      kind,
      id: row.id,
      name: objectName(row.type, row.id, meta),
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
