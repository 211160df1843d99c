import type { blacklist as en } from './blacklist-en.ts'

export const blacklist: typeof en = {
  title: 'Svartlista'
}
