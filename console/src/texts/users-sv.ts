import type { users as en } from './users-en.ts'

export const users: typeof en = {
  title: 'Användare'
}
