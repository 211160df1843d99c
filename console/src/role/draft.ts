import { Drafts } from '../drafts.ts'
import type { Role } from './api.ts'

/** `grants`: names and patterns, sorted. */
export type Draft = { name: string; priority: string; organization_id: number; grants: string[] }

export const drafts = new Drafts<Draft>()
export const { drop: dropDraft, has: hasDraft } = drafts

export const draftOf = ({ name, priority, organization_id, permissions }: Role): Draft => ({
  ...{ name, organization_id },
  priority: String(priority),
  grants: Object.keys(permissions)
    .filter((one) => permissions[one])
    .sort()
})

export const MAX_PRIORITY = 1_000_000

/** Undefined: it is no priority. */
export function readPriority(text: string): number | undefined {
  const number = Number(text)
  return /^\d+$/.test(text.trim()) && number <= MAX_PRIORITY ? number : undefined
}

/** Undefined: it cannot be saved yet. */
export function bodyOf({ name, priority, grants }: Draft) {
  const read = readPriority(priority)
  if (name.trim() === '' || read === undefined) return undefined
  return {
    name: name.trim(),
    priority: read,
    permissions: Object.fromEntries(grants.map((one) => [one, true]))
  }
}

/** The list with the grant, or without it. */
export const withGrant = (grants: readonly string[], one: string, has: boolean): string[] =>
  [...new Set([...grants.filter((other) => other !== one), ...(has ? [one] : [])])].sort()
