import { fold, wildcard } from './meta-filter.ts'

/**
 * `*@example.com`: `*` stands for any text on its side of the `@`. Upper and lower case are equal.
 */
export function emailMatches(pattern: string, email: string): boolean {
  const [name = '', domain = ''] = pattern.split('@')
  const [givenName = '', givenDomain = ''] = email.split('@')
  return wildcard(name)(fold(givenName)) && wildcard(domain)(fold(givenDomain))
}

/**
 * 0: one address. 1: addresses of one domain. 2: addresses of several domains. The narrowest match
 * decides.
 */
export function breadth(pattern: string): 0 | 1 | 2 {
  if (!pattern.includes('*')) return 0
  return pattern.includes('*', pattern.indexOf('@')) ? 2 : 1
}

/** False when the pattern allows any domain, such as `*` or `*.com`. */
export const namesDomain = (pattern: string): boolean =>
  !pattern.includes('*', pattern.indexOf('@')) || /\.[^.*]+\.[^.*]+$/.test(pattern)

/** Whether an address can match both patterns. */
export function patternsOverlap(one: string, other: string): boolean {
  const [names, domains] = [0, 1].map((side) =>
    sidesOverlap(one.split('@')[side] ?? '', other.split('@')[side] ?? '')
  )
  return names === true && domains === true
}

function sidesOverlap(one: string, other: string): boolean {
  if (!one.includes('*')) return wildcard(other)(fold(one))
  if (!other.includes('*')) return wildcard(one)(fold(other))
  // Texts between two wildcards always fit, one after another. Only the ends can conflict.
  const [a, b] = [fold(one), fold(other)]
  const [headA, headB] = [a.slice(0, a.indexOf('*')), b.slice(0, b.indexOf('*'))]
  const [tailA, tailB] = [a.slice(a.lastIndexOf('*') + 1), b.slice(b.lastIndexOf('*') + 1)]
  return (
    (headA.startsWith(headB) || headB.startsWith(headA)) &&
    (tailA.endsWith(tailB) || tailB.endsWith(tailA))
  )
}
