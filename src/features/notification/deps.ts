import type { Executors } from '../../outbound/executors.ts'

export type NotificationDeps = { executors: Executors }
