import type { apps as en } from './apps-en.ts'

export const apps: typeof en = {
  title: 'Edge-appar'
}
