import type { CaracalError, RefusedObject } from '../../../tools/client/client.ts'
import { installations, queryClient } from '../queries.ts'
import type { Texts } from '../texts/texts.ts'
import { withoutScope } from './scope.ts'

/** The permission that a refused caller needs, on which object; undefined: none opens it. */
export function whatIsNeeded(
  { permissions: [permission], object }: CaracalError,
  { error: t }: Texts
): string | undefined {
  return permission && t.needs(withoutScope(permission), object && named(object, t))
}

/** By its name, if the caller sees it in a list. */
function named({ kind, id }: RefusedObject, t: Texts['error']): string {
  const kinds: Readonly<Record<string, string>> = {
    installation: t.installation,
    organization: t.organization,
    user: t.user
  }
  const name =
    kind === 'installation' &&
    queryClient.getQueryData(installations.queryKey)?.find((one) => one.id === Number(id))?.name
  return `${kinds[kind] ?? kind} ${name ? `${name} (${id})` : id}`
}
