import type { Executors } from '../../../outbound/executors.ts'

export type TellDeps = { executors: Executors }
