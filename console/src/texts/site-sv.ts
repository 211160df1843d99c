import type { site as en } from './site-en.ts'

export const site: typeof en = {
  title: 'Inställningar'
}
