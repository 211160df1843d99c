declare module '../../registry/tables.ts' {
  interface Tables {
    boards: {
      installation_id: number
      /** JSON, as in answers. */
      plots: string
      updated: number
    }
  }
}
