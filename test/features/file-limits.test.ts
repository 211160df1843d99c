import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { onEveryRegistry } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'

onEveryRegistry('limits of files', (engine) => {
  const { platform } = withPlatform(engine)

  test('an organization goes with more files than a statement has variables', async () => {
    const { world, deps } = platform()
    const organization = await world.organization()
    await deps.directory.catchUp()
    const numbers = sql`with recursive numbers(n) as
      (select 100000 union all select n + 1 from numbers where n < 170000)`
    const hash = sql`${sql.lit('0'.repeat(58))} || cast(n as text)`
    await sql`${numbers} insert into file_contents (hash) select ${hash} from numbers`.execute(
      deps.registry
    )
    await sql`${numbers} insert into files (organization_id, hash, name, mime, size, created, updated)
      select ${sql.lit(organization)}, ${hash}, 'x', 'x/y', 0, 0, 0 from numbers`.execute(
      deps.registry
    )
    const line = `DELETE /api/v2/organization/${organization}?force=true`
    const { status, text } = await world.request(line, { as: world.admin })
    assert.equal(status, 200, text)
    const { numDeletedRows } = await deps.registry
      .deleteFrom('file_contents')
      .where('look_at', '<=', deps.clock())
      .executeTakeFirstOrThrow()
    assert.equal(Number(numDeletedRows), 70_001)
  })
})
