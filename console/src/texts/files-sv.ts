import type { files as en } from './files-en.ts'

export const files: typeof en = {
  title: 'Filer'
}
