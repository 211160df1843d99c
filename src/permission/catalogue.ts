/**
 * The permission catalogue: every name that existing clients look up, and a few of our own.
 * Scoped actions exist twice: `.../all` for installations in the caller's organizations and below,
 * `.../assigned` for installations assigned to the caller.
 */
export const scopedActions = [
  'alarm/acknowledge',
  'alarm/list',
  'certificate/issue',
  'certificate/revoke',
  'command/send',
  'devicex/create_delete',
  'devicex/edit/protected_meta',
  'devicex/list',
  'devicex/update',
  'devicex/view/protected_meta',
  'edge/app/configured/create_delete',
  'edge/app/configured/list',
  'edge/app/configured/update',
  'file/create_delete',
  'file/download',
  'file/list',
  'file/update',
  'functionx/create_delete',
  'functionx/edit/protected_meta',
  'functionx/list',
  'functionx/update',
  'functionx/view/protected_meta',
  'gateway/reset/password',
  'installation/delete',
  'installation/edit/protected_meta',
  'installation/list',
  'installation/update',
  'installation/view/protected_meta',
  'ledger/list',
  'log/delete',
  'log/read',
  'mapping/create_delete',
  'mapping/list',
  'mapping/update',
  'mqtt/publish',
  'mqtt/subscribe',
  'notification/executor/list',
  'notification/message/create_delete',
  'notification/message/list',
  'notification/message/update',
  'notification/output/create_delete',
  'notification/output/list',
  'notification/output/send',
  'notification/output/update',
  'organization/edit/protected_meta',
  'organization/view/protected_meta',
  'rule/create_delete',
  'rule/list',
  'rule/update',
  'sample/write',
  'schedule/create_delete',
  'schedule/list',
  'schedule/update',
  'site/export',
  'status/read',
  'user/edit/protected_meta',
  'user/view/protected_meta'
] as const

export const plainPermissions = [
  'edge/app/create',
  'edge/app/list',
  'edge/app/update',
  'file/update/organization',
  'gateway/registration/policy',
  'installation/create',
  'ledger/read',
  'metrics/read',
  'mobile/create',
  'mqtt/blacklist/topic/manage',
  'mqtt/subscribe/broad',
  'notification/executor/manage',
  'oauth2_client/admin/create_delete',
  'oauth2_client/admin/update',
  'organization/create_delete',
  'organization/list',
  'organization/list/all',
  'organization/update',
  'permission/explain',
  'registration/policy/create_delete',
  'registration/policy/list',
  'registration/policy/update',
  'role/create_delete',
  'role/list',
  'role/update',
  'system/backup',
  'system/client/list',
  'trace/list',
  'trace/list/system',
  'user/create/delete',
  'user/list',
  'user/list/assigned',
  'user/security/token/create_delete',
  'user/security/token/list/all',
  'user/update'
] as const

/**
 * Names that other programs look up; no route here asks for them. The Node-RED container lets in
 * users who have one. The part after the prefix is a Node-RED permission; `*` may run any code.
 */
const externalPermissions = ['external/node-red/*', 'external/node-red/read']

export type ScopedAction = (typeof scopedActions)[number]
export type PlainPermission = (typeof plainPermissions)[number]

/** Every name, with its scope. */
export const catalogue: readonly string[] = [
  ...plainPermissions,
  ...externalPermissions,
  ...scopedActions.flatMap((action) => [`${action}/all`, `${action}/assigned`])
].sort()

export const administratorsOnly: readonly string[] = catalogue.filter(
  (name) =>
    externalPermissions.includes(name) ||
    /^(role|registration\/policy|gateway\/registration|oauth2_client|metrics|permission|system)\/|^ledger\/read$|^trace\/list\/system$|^notification\/executor\/manage$/.test(
      name
    )
)

/** Not part of a first role, except of the one with all permissions. */
const givenByHand = ['log/delete', 'site/export'].flatMap((action) => [
  `${action}/all`,
  `${action}/assigned`
])

/** Only those who manage an organization have these from the start. */
const notForUsers = [
  'certificate/issue/assigned',
  'certificate/revoke/assigned',
  ...['mapping', 'rule'].flatMap((name) => [
    `${name}/create_delete/assigned`,
    `${name}/update/assigned`
  ])
]

const grant = (names: readonly string[]): Record<string, boolean> =>
  Object.fromEntries(names.map((name) => [name, true]))

/** The roles that come with the platform. */
export const firstRoles = [
  { name: 'Administrator', priority: 1000, permissions: { '#': true } },
  {
    name: 'Manager',
    priority: 500,
    permissions: grant(
      catalogue.filter(
        (n) =>
          !n.endsWith('/assigned') && !administratorsOnly.includes(n) && !givenByHand.includes(n)
      )
    )
  },
  {
    name: 'User',
    priority: 100,
    permissions: grant([
      ...catalogue.filter(
        (n) =>
          n.endsWith('/assigned') &&
          !n.includes('/protected_meta/') &&
          ![...givenByHand, ...notForUsers].includes(n)
      ),
      'mobile/create',
      'edge/app/list',
      'organization/list'
    ])
  }
]
