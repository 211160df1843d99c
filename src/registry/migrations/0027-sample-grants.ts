import type { Migration } from '../migration.ts'
import { addGrants } from '../role-grants.ts'

/** Who may send values over HTTP. [ADR-0064] */
export const sampleGrants: Migration = {
  name: 'sample grants',
  isAdditive: true,
  async up(registry) {
    await addGrants(
      registry,
      new Map([
        ['Manager', ['sample/write/all']],
        ['User', ['sample/write/assigned']]
      ])
    )
  }
}
