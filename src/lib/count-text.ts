/** A number for people: `1 204`, `2.1 M`. */
export function countText(count: number): string {
  if (count >= 1_000_000) return `${(count / 1_000_000).toFixed(1)} M`
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ' ')
}
