import type { schedules as en } from './schedules-en.ts'

export const schedules: typeof en = {
  title: 'Scheman'
}
