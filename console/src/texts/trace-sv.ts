import type { trace as en } from './trace-en.ts'

export const trace: typeof en = {
  title: 'Spår'
}
