import type { roles as en } from './roles-en.ts'

export const roles: typeof en = {
  title: 'Roller'
}
