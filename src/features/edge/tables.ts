import type { Generated } from 'kysely'

declare module '../../registry/tables.ts' {
  interface Tables {
    edge_apps: {
      id: Generated<number>
      publisher_id: number
      name: string
      category: string
      /** JSON list. */
      tags: string
      short_description: string
      description: string
      source_url: string
      official: Flag
      public: Flag
      created: number
      updated: number
    }
    edge_app_versions: {
      id: Generated<number>
      app_id: number
      hash: string
      /** null = not published. */
      name: string | null
      app_json: string
      app_lua: string
      uploaded: number
    }
    edge_app_instances: {
      id: Generated<number>
      installation_id: number
      app_id: number
      /** Name or hash. */
      version: string
      name: string
      /** JSON object. */
      config: string
      created: number
      updated: number
    }
  }
}
