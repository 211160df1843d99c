import { Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { AnyKey, Id, InstallationParams } from '../../http/schema.ts'
import { catalogue, scopedActions } from '../../permission/catalogue.ts'
import { mayGrant } from '../../permission/delegation.ts'
import type { Directory } from '../../permission/directory.ts'
import { explain } from '../../permission/explain.ts'
import { onInstallation, signedIn } from '../../permission/guard.ts'
import { holdsName, may, type Principal } from '../../permission/principal.ts'

const Permissions = Type.Record(AnyKey, Type.Boolean(), { title: 'Permissions' })

const Explanation = Type.Object(
  {
    permission: Type.String(),
    granted: Type.Boolean(),
    grant: Type.Union([Type.String(), Type.Null()], { description: 'The grant that allows it' }),
    reason: Type.String()
  },
  { title: 'PermissionExplanation' }
)

/** [contract: Permissions] Mounted as `/perimission`, spelled exactly so, and as `/permission`. */
export const permissionRoutes: Routes = (app, { directory }) => {
  const tags = ['Permissions']
  const alias = app.prefix.endsWith('/perimission') ? '' : 'Alias'

  app.get(
    '/',
    {
      schema: {
        tags,
        operationId: `getPermissions${alias}`,
        summary: 'Permissions of the caller',
        response: { 200: Permissions }
      },
      config: { access: signedIn }
    },
    async ({ principal }) => permissionsOf(principal, directory)
  )

  app.get(
    '/explain',
    {
      schema: {
        tags,
        operationId: `explainPermission${alias}`,
        summary: 'Explain which grant gives the caller a permission, or why none does',
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

  app.get(
    '/installation/:installation_id',
    {
      schema: {
        tags,
        operationId: `getInstallationPermissions${alias}`,
        summary: 'What the caller may do on an installation',
        description: 'The names have no scope: `log/read`. Every name is there, true or false.',
        params: InstallationParams,
        response: { 200: Permissions }
      },
      config: { access: onInstallation('installation/list') }
    },
    async ({ principal, installation }) =>
      Object.fromEntries(
        scopedActions.map((action) => [action, may(principal, action, installation)])
      )
  )
}

/** The grants as written, and every name that they cover, because clients look up exact names. */
function permissionsOf(principal: Principal, directory: Directory): Record<string, boolean> {
  const written = (principal.limit ?? principal.grants).patterns.filter((pattern) =>
    mayGrant(principal, directory, pattern)
  )
  const covered = catalogue.filter((name) => holdsName(principal, name))
  return Object.fromEntries([...written, ...covered].map((name) => [name, true]))
}
