import type { Routes } from './deps.ts'
import { authRoutes } from './features/auth/routes.ts'
import { blacklistRoutes } from './features/blacklist/routes.ts'
import { emqxRoutes } from './features/broker/emqx-routes.ts'
import { mosquittoRoutes } from './features/broker/mosquitto-routes.ts'
import { edgeAppRoutes } from './features/edge/app-routes.ts'
import { edgeConfiguredRoutes } from './features/edge/configured-routes.ts'
import { edgeVersionRoutes } from './features/edge/version-routes.ts'
import { fileRoutes } from './features/file/routes.ts'
import { gatewayRoutes } from './features/gateway/routes.ts'
import { installationInfoRoutes } from './features/installation/info-routes.ts'
import { installationRoutes } from './features/installation/routes.ts'
import { logExportRoutes } from './features/log/export-routes.ts'
import { logImportRoutes } from './features/log/import-routes.ts'
import { logV2Routes } from './features/log/v2-routes.ts'
import { logV3Routes } from './features/log/v3-routes.ts'
import { mobileRoutes } from './features/mobile/routes.ts'
import { devicexRoutes, functionxRoutes } from './features/modelx/routes.ts'
import {
  executorRoutes,
  installationExecutorRoutes
} from './features/notification/executor-routes.ts'
import { messageRoutes } from './features/notification/message-routes.ts'
import { outputRoutes } from './features/notification/output-routes.ts'
import { organizationRoutes } from './features/organization/routes.ts'
import { permissionRoutes } from './features/permission/routes.ts'
import { installationQuotaRoutes, organizationQuotaRoutes } from './features/quota/routes.ts'
import { registrationRoutes } from './features/registration/routes.ts'
import { roleRoutes } from './features/role/routes.ts'
import { scheduleRoutes } from './features/schedule/routes.ts'
import { searchRoutes } from './features/search/routes.ts'
import { statusRoutes } from './features/status/routes.ts'
import {
  docsRoutes,
  healthRoutes,
  ledgerRoutes,
  metricsRoutes,
  pingRoutes,
  startRoutes
} from './features/system/routes.ts'
import { traceRoutes } from './features/trace/routes.ts'
import { passwordRoutes } from './features/user/password-routes.ts'
import { userRoutes } from './features/user/routes.ts'
import { tokenRoutes } from './features/user/token-routes.ts'

/** THE ROUTE MAP: which room answers which address, in the order of the contract. */
export const routeMap: ReadonlyArray<readonly [prefix: string, routes: Routes]> = [
  ['/api/v2/auth', authRoutes],
  ['/api/v2/log', logV2Routes],
  ['/api/v3beta/log', logV3Routes],
  ['/api/v3beta/search', searchRoutes],
  ['/api/v3beta/log', logExportRoutes],
  ['/api/v3beta/log', logImportRoutes],
  ['/api/v2/mobile', mobileRoutes],
  ['/api/v2/functionx', functionxRoutes],
  ['/api/v2/devicex', devicexRoutes],
  ['/api/v2/status', statusRoutes],
  ['/api/v2/installationinfo', installationInfoRoutes],
  ['/api/v2/installation', installationRoutes],
  ['/api/v2/installation', installationQuotaRoutes],
  ['/api/v2/schedule', scheduleRoutes],
  ['/api/v2/gateway', gatewayRoutes],
  ['/api/v2/perimission', permissionRoutes], // [contract: Permissions] spelled exactly so
  ['/api/v2/permission', permissionRoutes],
  ['/api/v2/role', roleRoutes],
  ['/api/v2/user', userRoutes],
  ['/api/v2/user', passwordRoutes],
  ['/api/v2/user', tokenRoutes],
  ['/api/v2/user', registrationRoutes],
  ['/api/v2/organization', organizationRoutes],
  ['/api/v2/organization', organizationQuotaRoutes],
  ['/api/v2/edge', edgeAppRoutes],
  ['/api/v2/edge', edgeVersionRoutes],
  ['/api/v2/edge', edgeConfiguredRoutes],
  ['/api/v2/blacklist', blacklistRoutes],
  ['/api/v2/notification', messageRoutes],
  ['/api/v2/notification', outputRoutes],
  ['/api/v2/notification', installationExecutorRoutes],
  ['/api/v2/admin/notification/executor', executorRoutes],
  ['/api/v2/file', fileRoutes],
  ['/api/v2/trace', traceRoutes],
  ['/api/v2/ping', pingRoutes],
  ['/api/v2/ledger', ledgerRoutes],
  ['/broker', emqxRoutes],
  ['/broker/mosquitto', mosquittoRoutes],
  ['/health', healthRoutes],
  ['/metrics', metricsRoutes],
  ['/docs', docsRoutes],
  ['', startRoutes]
]
