import { Type } from 'typebox'
import { catalogue } from '../../access/catalogue.ts'
import { mayGrant } from '../../access/delegation.ts'
import type { Directory } from '../../access/directory.ts'
import { explain } from '../../access/explain.ts'
import { signedIn } from '../../access/guard.ts'
import { holdsName, type Principal } from '../../access/principal.ts'
import type { Routes } from '../../deps.ts'
import { AnyKey, Id } from '../../http/schema.ts'

const Permissions = Type.Record(AnyKey, Type.Boolean())

const Explanation = Type.Object({
  permission: Type.String(),
  granted: Type.Boolean(),
  grant: Type.Union([Type.String(), Type.Null()], { description: 'The grant that allows it' }),
  reason: Type.String()
})

/** [contract: Permissions] Mounted as `/perimission`, spelled exactly so, and as `/permission`. */
export const permissionRoutes: Routes = (app, { directory }) => {
  const tags = ['Permissions']

  app.get(
    '/',
    {
      schema: { tags, summary: 'What the caller may', response: { 200: Permissions } },
      config: { access: signedIn }
    },
    async ({ principal }) => permissionsOf(principal, directory)
  )

  app.get(
    '/explain',
    {
      schema: {
        tags,
        summary: 'Which grant allows a thing, or that none does',
        querystring: Type.Object({
          permission: Type.String({ minLength: 1, maxLength: 1000 }),
          installation_id: Type.Optional(Id)
        }),
        response: { 200: Explanation }
      },
      config: { access: signedIn }
    },
    async ({ principal, query }) => ({
      permission: query.permission,
      ...explain(principal, directory, query.permission, query.installation_id)
    })
  )
}

/** The grants as written, and every concrete name they cover; clients look names up literally. */
function permissionsOf(principal: Principal, directory: Directory): Record<string, boolean> {
  const written = (principal.limit ?? principal.grants).patterns.filter((pattern) =>
    mayGrant(principal, directory, pattern)
  )
  const covered = catalogue.filter((name) => holdsName(principal, name))
  return Object.fromEntries([...written, ...covered].map((name) => [name, true]))
}
