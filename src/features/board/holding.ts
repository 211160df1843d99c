import type { Holding } from '../../holding.ts'

export const boardHolding: Holding = {
  tables: [
    {
      table: 'boards',
      owner: 'installation',
      column: 'installation_id',
      onDelete: 'cascade',
      copied: true
    }
  ]
}
