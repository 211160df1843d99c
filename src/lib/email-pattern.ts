import { fold, wildcard } from './meta-filter.ts'

/** `*@example.com`: `*` stands for any text on its side of the `@`, letters for both their cases. */
export function emailMatches(pattern: string, email: string): boolean {
  const [name = '', domain = ''] = pattern.split('@')
  const [givenName = '', givenDomain = ''] = email.split('@')
  return wildcard(name)(fold(givenName)) && wildcard(domain)(fold(givenDomain))
}
