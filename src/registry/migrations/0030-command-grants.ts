import type { Migration } from '../migration.ts'
import { addGrants } from '../role-grants.ts'

/** Who may send commands. [ADR-0067] */
export const commandGrants: Migration = {
  name: 'command grants',
  isAdditive: true,
  async up(registry) {
    await addGrants(
      registry,
      new Map([
        ['Manager', ['command/send/all']],
        ['User', ['command/send/assigned']]
      ])
    )
  }
}
