import type { registration as en } from './registration-en.ts'

export const registration: typeof en = {
  title: 'Registrering'
}
