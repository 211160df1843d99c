import type { Holding } from '../../holding.ts'

/** Functions and devices. There may be many, so the eraser removes them after the installation. */
export const modelxHolding: Holding = {
  tables: [
    {
      table: 'modelx',
      owner: 'installation',
      column: 'installation_id',
      onDelete: 'later',
      copied: true
    },
    { table: 'modelx_counts', owner: 'installation', column: 'installation_id', onDelete: 'leave' }
  ]
}
