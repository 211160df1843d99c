import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router'
import { readAlarmsSearch } from './alarm/search.ts'
import { readConnectSearch } from './connect/search.ts'
import { readFilesSearch } from './file/search.ts'
import { Broken } from './frame/Broken.tsx'
import { Frame } from './frame/Frame.tsx'
import { Lost } from './frame/Lost.tsx'
import { page } from './frame/page.ts'
import { mappings } from './mapping/api.ts'
import type { AppsSearch } from './pages/AppsPage.tsx'
import type { CatalogueSearch } from './pages/CataloguePage.tsx'
import type { FunctionsSearch } from './pages/FunctionsPage.tsx'
import { InstallationsPage, type InstallationsSearch } from './pages/InstallationsPage.tsx'
import type { MappingsSearch } from './pages/MappingsPage.tsx'
import type { NotificationsSearch } from './pages/NotificationsPage.tsx'
import type { OrganizationsSearch } from './pages/OrganizationsPage.tsx'
import type { RolesSearch } from './pages/RolesPage.tsx'
import type { RulesSearch } from './pages/RulesPage.tsx'
import type { SchedulesSearch } from './pages/SchedulesPage.tsx'
import { SignInPage } from './pages/SignInPage.tsx'
import type { SystemSearch } from './pages/SystemPage.tsx'
import type { UsersSearch } from './pages/UsersPage.tsx'
import { readEntrySearch } from './platform/search.ts'
import { readPlotSearch } from './plot/range.ts'
import {
  board,
  devices,
  freshness,
  functions,
  installations,
  me,
  queryClient,
  rights,
  tokens
} from './queries.ts'
import { roles as roleList } from './role/api.ts'
import { rulesOf } from './rule/api.ts'
import { schedules as schedulesOf } from './schedule/api.ts'
import { currentSession } from './session/session.ts'
import { backup, ranges, state as systemState } from './system/api.ts'
import { settings } from './tell/api.ts'
import { readTraceSearch } from './trace/search.ts'
import { organizationTree, users as usersOfCaller } from './user/api.ts'

const root = createRootRoute({ notFoundComponent: Lost })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { to?: string } =>
    typeof search.to === 'string' ? { to: search.to } : {},
  component: SignInPage
})

const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/new-password',
  component: page(() => import('./pages/NewPasswordPage.tsx'), 'NewPasswordPage')
})

const registerPage = createRoute({
  getParentRoute: () => root,
  path: '/register',
  component: page(() => import('./pages/RegisterPage.tsx'), 'RegisterPage')
})

const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  beforeLoad: ({ location }) => {
    if (!currentSession().token) throw redirect({ to: '/sign-in', search: { to: location.href } })
  },
  loader: () => void queryClient.prefetchQuery(me),
  component: Frame
})

const start = createRoute({
  getParentRoute: () => frame,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/installations' })
  }
})

const views = ['cards', 'table'] as const
const shows = ['all', 'attention', 'assigned'] as const
const oneOf = <T extends string | number>(all: readonly T[], value: unknown): T | undefined =>
  all.find((one) => one === value)

const list = createRoute({
  getParentRoute: () => frame,
  path: '/installations',
  validateSearch: (search: Record<string, unknown>): InstallationsSearch => ({
    show: oneOf(shows, search.show),
    view: oneOf(views, search.view),
    name: typeof search.name === 'string' ? search.name : undefined
  }),
  loader: () => {
    void queryClient.prefetchQuery(installations)
    void queryClient.prefetchQuery(freshness)
  },
  component: InstallationsPage
})

const allAlarms = createRoute({
  getParentRoute: () => frame,
  path: '/alarms',
  validateSearch: readAlarmsSearch,
  loader: () => void queryClient.prefetchQuery(installations),
  component: page(() => import('./pages/AllAlarmsPage.tsx'), 'AllAlarmsPage')
})

const account = createRoute({
  getParentRoute: () => frame,
  path: '/account',
  loader: () => void queryClient.prefetchQuery(tokens),
  component: page(() => import('./pages/AccountPage.tsx'), 'AccountPage')
})

const settingsPage = createRoute({
  getParentRoute: () => frame,
  path: '/settings',
  loader: () => void queryClient.prefetchQuery(settings),
  component: page(() => import('./pages/SettingsPage.tsx'), 'SettingsPage')
})

export const installation = createRoute({
  getParentRoute: () => frame,
  path: '/installations/$id',
  params: {
    parse: ({ id }) => ({ id: Number(id) }),
    stringify: ({ id }) => ({ id: String(id) })
  },
  loader: ({ params }) => {
    void queryClient.prefetchQuery(installations)
    void queryClient.prefetchQuery(functions(params.id))
  },
  component: page(() => import('./pages/InstallationPage.tsx'), 'InstallationPage')
})

const first = createRoute({
  getParentRoute: () => installation,
  path: '/',
  beforeLoad: async ({ params }) => {
    const kept = await queryClient.fetchQuery(board(params.id)).catch(() => undefined)
    const view = kept && kept.plots.length > 0 ? 'board' : 'live'
    throw redirect({ to: `/installations/$id/${view}`, params, replace: true })
  }
})

const alarmsPage = createRoute({
  getParentRoute: () => installation,
  path: '/alarms',
  validateSearch: readAlarmsSearch,
  loader: ({ params }) => void queryClient.prefetchQuery(rights(params.id)),
  component: page(() => import('./pages/AlarmsPage.tsx'), 'AlarmsPage')
})

export const live = createRoute({
  getParentRoute: () => installation,
  path: '/live',
  validateSearch: (search: Record<string, unknown>): { show?: 'silent'; name?: string } => ({
    show: search.show === 'silent' ? 'silent' : undefined,
    name: typeof search.name === 'string' ? search.name : undefined
  }),
  component: page(() => import('./pages/LivePage.tsx'), 'LivePage')
})

const boardPage = createRoute({
  getParentRoute: () => installation,
  path: '/board',
  loader: ({ params }) => void queryClient.prefetchQuery(board(params.id)),
  component: page(() => import('./pages/BoardPage.tsx'), 'BoardPage')
})

const plot = createRoute({
  getParentRoute: () => installation,
  path: '/plot',
  validateSearch: readPlotSearch,
  component: page(() => import('./pages/PlotPage.tsx'), 'PlotPage')
})

const functionsAndDevices = createRoute({
  getParentRoute: () => installation,
  path: '/functions',
  validateSearch: (search: Record<string, unknown>): FunctionsSearch => ({
    view: search.view === 'devices' ? 'devices' : undefined,
    text: typeof search.text === 'string' ? search.text : undefined,
    type: typeof search.type === 'string' ? search.type : undefined,
    meta: Array.isArray(search.meta)
      ? search.meta.filter((one): one is string => typeof one === 'string')
      : undefined,
    sort: typeof search.sort === 'string' ? search.sort : undefined,
    id: typeof search.id === 'number' ? search.id : undefined,
    add: search.add === true ? true : undefined
  }),
  loader: ({ params }) => {
    void queryClient.prefetchQuery(devices(params.id))
    void queryClient.prefetchQuery(rights(params.id))
  },
  component: page(() => import('./pages/FunctionsPage.tsx'), 'FunctionsPage')
})

const rulesPage = createRoute({
  getParentRoute: () => installation,
  path: '/rules',
  validateSearch: (search: Record<string, unknown>): RulesSearch => ({
    id: typeof search.id === 'number' ? search.id : undefined,
    add: search.add === true ? true : undefined,
    of: search.of === 'organization' ? 'organization' : undefined,
    topics: readPlotSearch(search).topics
  }),
  loader: ({ params }) => {
    void queryClient.prefetchQuery(rulesOf({ kind: 'installation', id: params.id }))
    void queryClient.prefetchQuery(rights(params.id))
  },
  component: page(() => import('./pages/RulesPage.tsx'), 'RulesPage')
})

const mappingsPage = createRoute({
  getParentRoute: () => installation,
  path: '/mappings',
  validateSearch: (search: Record<string, unknown>): MappingsSearch => ({
    id: typeof search.id === 'number' ? search.id : undefined,
    add: search.add === true ? true : undefined,
    of: search.of === 'organization' ? 'organization' : undefined
  }),
  loader: ({ params }) => {
    void queryClient.prefetchQuery(mappings({ kind: 'installation', id: params.id }))
    void queryClient.prefetchQuery(rights(params.id))
  },
  component: page(() => import('./pages/MappingsPage.tsx'), 'MappingsPage')
})

const connect = createRoute({
  getParentRoute: () => installation,
  path: '/connect',
  validateSearch: readConnectSearch,
  component: page(() => import('./pages/ConnectPage.tsx'), 'ConnectPage')
})

const refused = createRoute({
  getParentRoute: () => installation,
  path: '/refused',
  component: page(() => import('./pages/RefusedPage.tsx'), 'RefusedPage')
})

const schedules = createRoute({
  getParentRoute: () => installation,
  path: '/schedules',
  validateSearch: (search: Record<string, unknown>): SchedulesSearch => ({
    id: typeof search.id === 'number' ? search.id : undefined,
    add: search.add === true ? true : undefined,
    text: typeof search.text === 'string' ? search.text : undefined
  }),
  loader: ({ params }) => {
    void queryClient.prefetchQuery(schedulesOf(params.id))
    void queryClient.prefetchQuery(rights(params.id))
  },
  component: page(() => import('./pages/SchedulesPage.tsx'), 'SchedulesPage')
})

const gateway = createRoute({
  getParentRoute: () => installation,
  path: '/gateway',
  component: page(() => import('./pages/GatewayPage.tsx'), 'GatewayPage')
})

const apps = createRoute({
  getParentRoute: () => installation,
  path: '/apps',
  validateSearch: (search: Record<string, unknown>): AppsSearch => ({
    id: typeof search.id === 'number' ? search.id : undefined,
    add: search.add === true ? true : undefined,
    app: typeof search.app === 'number' ? search.app : undefined
  }),
  loader: ({ params }) => void queryClient.prefetchQuery(rights(params.id)),
  component: page(() => import('./pages/AppsPage.tsx'), 'AppsPage')
})

const notifications = createRoute({
  getParentRoute: () => installation,
  path: '/notifications',
  validateSearch: (search: Record<string, unknown>): NotificationsSearch => ({
    message: typeof search.message === 'number' ? search.message : undefined,
    output: typeof search.output === 'number' ? search.output : undefined,
    add: oneOf(['message', 'output'] as const, search.add)
  }),
  loader: ({ params }) => void queryClient.prefetchQuery(rights(params.id)),
  component: page(() => import('./pages/NotificationsPage.tsx'), 'NotificationsPage')
})

const files = createRoute({
  getParentRoute: () => installation,
  path: '/files',
  validateSearch: readFilesSearch,
  component: page(() => import('./pages/FilesPage.tsx'), 'FilesPage')
})

const values = createRoute({
  getParentRoute: () => installation,
  path: '/values',
  component: page(() => import('./pages/ValuesPage.tsx'), 'ValuesPage')
})

const trace = createRoute({
  getParentRoute: () => installation,
  path: '/trace',
  validateSearch: readTraceSearch,
  component: page(() => import('./pages/TracePage.tsx'), 'TracePage')
})

const site = createRoute({
  getParentRoute: () => installation,
  path: '/site',
  component: page(() => import('./pages/SitePage.tsx'), 'SitePage')
})

const organizations = createRoute({
  getParentRoute: () => frame,
  path: '/organizations',
  validateSearch: (search: Record<string, unknown>): OrganizationsSearch => ({
    text: typeof search.text === 'string' ? search.text : undefined,
    id: typeof search.id === 'number' ? search.id : undefined,
    under: typeof search.under === 'number' ? search.under : undefined
  }),
  loader: () => void queryClient.prefetchQuery(organizationTree),
  component: page(() => import('./pages/OrganizationsPage.tsx'), 'OrganizationsPage')
})

const users = createRoute({
  getParentRoute: () => frame,
  path: '/users',
  validateSearch: (search: Record<string, unknown>): UsersSearch => ({
    text: typeof search.text === 'string' ? search.text : undefined,
    organization: typeof search.organization === 'number' ? search.organization : undefined,
    role: typeof search.role === 'number' ? search.role : undefined,
    id: typeof search.id === 'number' ? search.id : undefined,
    add: search.add === true ? true : undefined
  }),
  loader: () => void queryClient.prefetchQuery(usersOfCaller),
  component: page(() => import('./pages/UsersPage.tsx'), 'UsersPage')
})

const roles = createRoute({
  getParentRoute: () => frame,
  path: '/roles',
  validateSearch: (search: Record<string, unknown>): RolesSearch => ({
    id: typeof search.id === 'number' ? search.id : undefined,
    add: search.add === true ? true : undefined,
    view: search.view === 'why' ? 'why' : undefined,
    user: typeof search.user === 'number' ? search.user : undefined,
    permission: typeof search.permission === 'string' ? search.permission : undefined,
    installation: typeof search.installation === 'number' ? search.installation : undefined
  }),
  loader: () => void queryClient.prefetchQuery(roleList),
  component: page(() => import('./pages/RolesPage.tsx'), 'RolesPage')
})

const registration = createRoute({
  getParentRoute: () => frame,
  path: '/registration',
  validateSearch: readEntrySearch,
  component: page(() => import('./pages/RegistrationPage.tsx'), 'RegistrationPage')
})

const blacklist = createRoute({
  getParentRoute: () => frame,
  path: '/blacklist',
  validateSearch: readEntrySearch,
  component: page(() => import('./pages/BlacklistPage.tsx'), 'BlacklistPage')
})

const executors = createRoute({
  getParentRoute: () => frame,
  path: '/executors',
  validateSearch: readEntrySearch,
  component: page(() => import('./pages/ExecutorsPage.tsx'), 'ExecutorsPage')
})

const catalogue = createRoute({
  getParentRoute: () => frame,
  path: '/catalogue',
  validateSearch: (search: Record<string, unknown>): CatalogueSearch => ({
    id: typeof search.id === 'number' ? search.id : undefined,
    add: search.add === true ? true : undefined,
    find: typeof search.find === 'string' ? search.find : undefined
  }),
  component: page(() => import('./pages/CataloguePage.tsx'), 'CataloguePage')
})

const system = createRoute({
  getParentRoute: () => frame,
  path: '/system',
  validateSearch: (search: Record<string, unknown>): SystemSearch => ({
    client: typeof search.client === 'string' ? search.client : undefined,
    hours: oneOf(ranges, search.hours)
  }),
  loader: () => {
    void queryClient.prefetchQuery(systemState)
    void queryClient.prefetchQuery(backup)
  },
  component: page(() => import('./pages/SystemPage.tsx'), 'SystemPage')
})

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    newPassword,
    registerPage,
    frame.addChildren([
      start,
      list,
      allAlarms,
      account,
      settingsPage,
      organizations,
      users,
      roles,
      registration,
      blacklist,
      executors,
      catalogue,
      system,
      installation.addChildren([
        first,
        boardPage,
        live,
        plot,
        alarmsPage,
        rulesPage,
        functionsAndDevices,
        mappingsPage,
        connect,
        refused,
        schedules,
        gateway,
        apps,
        notifications,
        files,
        values,
        trace,
        site
      ])
    ])
  ]),
  // The data of a page is asked for when the pointer is over its link.
  defaultPreload: 'intent',
  defaultErrorComponent: Broken
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
