import type { Executors } from './executor-client.ts'

export type NotificationDeps = { executors: Executors }
