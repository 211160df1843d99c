import type { notifications as en } from './notifications-en.ts'

export const notifications: typeof en = {
  title: 'Aviseringar'
}
