import { Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { badRequest, forbidden, lacking } from '../../http/errors.ts'
import { AnyKey, Id, InstallationParams } from '../../http/schema.ts'
import { catalogue, scopedActions } from '../../permission/catalogue.ts'
import { mayGrant } from '../../permission/delegation.ts'
import type { Directory } from '../../permission/directory.ts'
import { explain } from '../../permission/explain.ts'
import { onInstallation, signedIn } from '../../permission/guard.ts'
import { holds, holdsName, may, type Principal } from '../../permission/principal.ts'
import { usersVisibleTo } from '../../permission/visibility.ts'
import type { InstallationRef } from '../../registry/installations.ts'
import { findOrganization } from '../../registry/organizations.ts'
import { visibleUsers } from '../../registry/users.ts'

const Permissions = Type.Record(AnyKey, Type.Boolean(), { title: 'Permissions' })

const Explanation = Type.Object(
  {
    permission: Type.String(),
    granted: Type.Boolean(),
    grant: Type.Union([Type.String(), Type.Null()], { description: 'The grant that allows it' }),
    reason: Type.String(),
    through: Type.Union([Type.String(), Type.Null()], {
      description:
        'How the grant reaches the installation: `organization`, `assignment`, or `installation` if the grant names it'
    }),
    organization_id: Type.Union([Type.Integer(), Type.Null()], {
      description: 'With `organization`: the organization of the user that it is in, or below'
    }),
    unreached: Type.Array(Type.Object({ grant: Type.String(), through: Type.String() }), {
      description: 'Grants that would allow it, if the user reached the installation in this way'
    })
  },
  { title: 'PermissionExplanation' }
)

/** [contract: Permissions] Mounted as `/perimission`, spelled exactly so, and as `/permission`. */
export const permissionRoutes: Routes = (app, { registry, directory, identity }) => {
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
        summary: 'Explain which grant gives a permission to the caller or a user, or why none does',
        description:
          'Another user than the caller needs `permission/explain`, and the user and the installation must be visible to the caller.',
        faults: [403],
        querystring: Type.Object({
          permission: Type.String({ minLength: 1, maxLength: 1000 }),
          installation_id: Type.Optional(Id),
          user_id: Type.Optional(Id)
        }),
        response: { 200: Explanation }
      },
      config: { access: signedIn }
    },
    async ({ principal, query: { permission, installation_id, user_id } }) => {
      const isOther = user_id !== undefined && user_id !== principal.userId
      const asked = isOther ? await findOther(principal, user_id, installation_id) : principal
      const explanation = explain(asked, directory, permission, installation_id)
      const installation =
        explanation.through === 'organization' && directory.installation(installation_id ?? 0)
      const at = installation ? await nearest(asked, installation) : null
      // The other user may belong to an organization that the caller does not see.
      const isSeen = at !== null && (!isOther || principal.organizationsBelow.has(at))
      return { permission, ...explanation, organization_id: isSeen ? at : null }
    }
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

  /** What another user may do. An invisible user or installation and a missing one are the same. */
  async function findOther(principal: Principal, userId: number, installationId?: number) {
    if (!holds(principal, 'permission/explain')) {
      throw lacking({ permissions: ['permission/explain'], object: { kind: 'user', id: userId } })
    }
    const visible = await visibleUsers(registry, [userId], usersVisibleTo(principal))
    if (!visible.has(userId)) throw forbidden()
    if (installationId !== undefined) {
      const installation = directory.installation(installationId)
      if (!installation || !may(principal, 'installation/list', installation)) throw forbidden()
    }
    // An account that has ended has no rights.
    const other = await identity.ofUser(userId)
    if (!other) throw badRequest('the account of the user has ended')
    return other
  }

  /** The lowest organization of the user that the installation is in, or below. */
  async function nearest({ organizationIds }: Principal, { organization_id }: InstallationRef) {
    let at: number | null | undefined = organization_id
    while (at && !organizationIds.includes(at))
      at = (await findOrganization(registry, at))?.parent_id
    return at || null
  }
}

/** The grants as written, and every name that they cover, because clients look up exact names. */
function permissionsOf(principal: Principal, directory: Directory): Record<string, boolean> {
  const written = (principal.limit ?? principal.grants).patterns.filter((pattern) =>
    mayGrant(principal, directory, pattern)
  )
  const covered = catalogue.filter((name) => holdsName(principal, name))
  return Object.fromEntries([...written, ...covered].map((name) => [name, true]))
}
