import { numberFormat } from '../formats.ts'

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** Such as `1.2 GB`, in steps of 1024. */
export function sizeText(bytes: number, locale: string): string {
  let [size, step] = [bytes, 0]
  while (size >= 1024 && step < units.length - 1) {
    size /= 1024
    step++
  }
  const digits = size < 10 && step > 0 ? 1 : 0
  const style = { style: 'unit', unit: units[step], maximumFractionDigits: digits } as const
  return numberFormat(locale, style).format(size)
}
