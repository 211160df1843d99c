import type { Registry } from './tables.ts'

export type Migration = { name: string; up: (registry: Registry) => Promise<void> }
