import type { catalogue as en } from './catalogue-en.ts'

export const catalogue: typeof en = {
  title: 'Appkatalog'
}
