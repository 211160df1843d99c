import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Folded texts use one small sigma everywhere in a word. The search index follows. */
export const sigma: Migration = {
  name: 'sigma',
  async up(registry) {
    for (const table of ['organization_meta', 'user_meta', 'installation_meta']) {
      await sql`update ${sql.table(table)} set
        key_folded = replace(key_folded, 'ς', 'σ'), value_folded = replace(value_folded, 'ς', 'σ')
        where key_folded like '%ς%' or value_folded like '%ς%'`.execute(registry)
    }
    await sql`update objects set type_folded = replace(type_folded, 'ς', 'σ')
      where type_folded like '%ς%'`.execute(registry)
    const hasSigma = sql.join(
      ['type', 'meta', 'protected_meta'].flatMap((column) =>
        ['%ς%', '%Σ%'].map((pattern) => sql`${sql.ref(column)} like ${pattern}`)
      ),
      sql` or `
    )
    await sql`insert into search_marks (kind, id)
      select kind, id from objects where ${hasSigma}
      union all select 'installation', id from installations where true
      on conflict do nothing`.execute(registry)
  }
}
