import type { executors as en } from './executors-en.ts'

export const executors: typeof en = {
  title: 'Utförare'
}
