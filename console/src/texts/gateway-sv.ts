import type { gateway as en } from './gateway-en.ts'

export const gateway: typeof en = {
  title: 'Gateway'
}
