import type { Holding } from '../../holding.ts'

export const gatewayHolding: Holding = {
  tables: [
    {
      table: 'gateways',
      owner: 'installation',
      column: 'installation_id',
      onDelete: 'cascade',
      copied: true
    },
    // After its organization is deleted, the policy accepts no unregistered gateway.
    {
      table: 'gateway_policy',
      owner: 'organization',
      column: 'default_organization_id',
      onDelete: 'stays'
    }
  ]
}
