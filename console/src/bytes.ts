const KIB = 1024
const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** `1.5 GiB`. */
export function bytesText(bytes: number, locale: string): string {
  const power =
    bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(KIB)))
  const amount = bytes / KIB ** power
  const digits = power === 0 || amount >= 100 ? 0 : 1
  const text = amount.toLocaleString(locale, { maximumFractionDigits: digits })
  return `${text} ${units[power]}`
}
