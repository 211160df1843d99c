import { isJsonNumber } from '../json-number.ts'

/** A number, a text that holds one, true and false. A word of the table comes first. */
export function numberOf(
  found: unknown,
  table: ReadonlyMap<string, number> | undefined
): number | undefined {
  if (typeof found === 'number') return table?.get(String(found)) ?? found
  if (typeof found === 'boolean') return table?.get(String(found)) ?? (found ? 1 : 0)
  if (typeof found !== 'string') return undefined
  return table?.get(found) ?? (isJsonNumber(found) ? finite(Number(found)) : undefined)
}

/** Undefined: a sample cannot have it. Minus zero is zero. */
export const finite = (value: number): number | undefined => {
  if (!Number.isFinite(value)) return undefined
  return value === 0 ? 0 : value
}
