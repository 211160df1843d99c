/**
 * What is managed for the whole platform, in the order of the menu. A page is shown to who has one of
 * its permissions.
 */
export const platformPages = {
  organizations: ['organization/list', 'organization/list/all'],
  users: ['user/list', 'user/list/assigned'],
  roles: ['role/list'],
  registration: ['registration/policy/list', 'gateway/registration/policy'],
  blacklist: ['mqtt/blacklist/topic/manage'],
  executors: ['notification/executor/manage'],
  catalogue: ['edge/app/list'],
  system: ['metrics/read']
} as const satisfies Record<string, readonly string[]>

export type PlatformPage = keyof typeof platformPages

/** `may`: what the caller may do anywhere. */
export const platformPagesOf = (
  may: Readonly<Record<string, boolean>> | undefined
): PlatformPage[] =>
  Object.entries(platformPages).flatMap(([page, needs]) =>
    needs.some((name) => may?.[name]) ? [page as PlatformPage] : []
  )
