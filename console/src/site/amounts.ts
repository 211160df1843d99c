const MAX_DAYS = 36_500

/** Null: no days of its own. Undefined: it cannot be read. */
export function readDays(text: string): number | null | undefined {
  const digits = text.replaceAll(/\s/g, '')
  if (digits === '') return null
  const days = /^\d{1,6}$/.test(digits) ? Number(digits) : 0
  return days >= 1 && days <= MAX_DAYS ? days : undefined
}

/** Whether values that are there now would go. Null: they stay for ever. */
export const isShorter = (days: number | null, effective: number | null): boolean =>
  days !== null && (effective === null || days < effective)

const NEARLY = 0.8

/** How much of a quota is used, from 0 to 1, and whether one should look after it. */
export function shareOf(
  used: number,
  quota: number
): { share: number; state?: 'nearly' | 'usedUp' } {
  const share = quota === 0 ? 1 : Math.min(used / quota, 1)
  if (share >= 1) return { share, state: 'usedUp' }
  return share >= NEARLY ? { share, state: 'nearly' } : { share }
}
