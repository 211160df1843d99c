import type { organizations as en } from './organizations-en.ts'

export const organizations: typeof en = {
  title: 'Organisationer'
}
