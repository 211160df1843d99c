import type { Schemas } from '../../../tools/client/client.ts'

type User = Schemas['User']

/** The name of an account, or its address if it has none. */
export function nameOf(user: User | undefined): string {
  if (!user) return ''
  return `${user.first_name} ${user.last_name}`.trim() || user.email
}

/** The name and the address: many people have the same name. */
export function labelOf(user: User): string {
  const name = nameOf(user)
  return name === user.email ? name : `${name} (${user.email})`
}
