/** The views of an installation, in the order of its tabs. */
export const installationPages = [
  'board',
  'live',
  'plot',
  'alarms',
  'rules',
  'functions',
  'mappings',
  'connect'
] as const

/**
 * What a manager does on an installation, in the order of the menu. A page is shown to who has one of
 * its permissions there.
 */
export const managePages = {
  schedules: ['schedule/list'],
  gateway: ['installation/update', 'gateway/reset/password'],
  apps: ['edge/app/configured/list'],
  notifications: ['notification/message/list', 'notification/output/list'],
  files: ['file/list'],
  values: ['log/read', 'mqtt/publish', 'log/delete'],
  trace: ['trace/list', 'trace/list/system'],
  site: ['installation/update', 'installation/delete'],
  refused: ['ledger/list']
} as const satisfies Record<string, readonly string[]>

export type ManagePage = keyof typeof managePages
export type InstallationPage = (typeof installationPages)[number] | ManagePage

type May = Readonly<Record<string, boolean>> | undefined

/** `may`: what the caller may do on the installation. `anywhere`: names that have no installation. */
export const managePagesOf = (may: May, anywhere: May): ManagePage[] =>
  Object.entries(managePages).flatMap(([page, needs]) =>
    needs.some((name) => may?.[name] || (may && anywhere?.[name])) ? [page as ManagePage] : []
  )
