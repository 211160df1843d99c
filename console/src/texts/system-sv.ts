import type { system as en } from './system-en.ts'

export const system: typeof en = {
  title: 'System'
}
