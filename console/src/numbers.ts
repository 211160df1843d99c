/** Undefined: it cannot be read. A comma is a point in some countries. */
export function readNumber(text: string, otherwise: number): number | undefined {
  if (text.trim() === '') return otherwise
  const number = Number(text.trim().replace(',', '.'))
  return Number.isFinite(number) ? number : undefined
}
