import type { Item } from './items.ts'

const MAX_RECENT = 8
const keyOf = (user: number): string => `caracal.recent.${user}`

/** What the user chose last. Actions have no address; they are found by their id. */
export type Recent = { id: string; label: string; hint: string; href?: string }

export function recentOf(user: number): Recent[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(keyOf(user)) ?? '[]')
    return Array.isArray(list) ? list.filter(isRecent) : []
  } catch {
    return []
  }
}

const isRecent = (one: Partial<Recent> | null): one is Recent =>
  typeof one?.id === 'string' && typeof one.label === 'string' && typeof one.hint === 'string'

export function remember(user: number, item: Item): void {
  const { id, label, hint } = item
  const one: Recent = { id, label, hint, ...('href' in item && { href: item.href }) }
  const list = [one, ...recentOf(user).filter((other) => other.id !== id)].slice(0, MAX_RECENT)
  localStorage.setItem(keyOf(user), JSON.stringify(list))
}
