const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** `3.4 MB`, in the words of the language. */
export function sizeText(bytes: number, locale: string): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const unit = UNITS[step] ?? 'byte'
  const format = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    maximumFractionDigits: step === 0 ? 0 : 1
  })
  return format.format(bytes / 1000 ** step)
}
