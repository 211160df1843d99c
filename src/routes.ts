import type { Deps, Routes } from './deps.ts'
import { alarmDeliveryRoutes } from './features/alarm/delivery-routes.ts'
import type { AlarmDeps } from './features/alarm/deps.ts'
import { alarmHolding } from './features/alarm/holding.ts'
import { alarmRecipientRoutes } from './features/alarm/recipient-routes.ts'
import { alarmRoutes } from './features/alarm/routes.ts'
import { alarmSettingsRoutes } from './features/alarm/settings-routes.ts'
import type { TellDeps } from './features/alarm/tell/deps.ts'
import { authHolding } from './features/auth/holding.ts'
import { authRoutes } from './features/auth/routes.ts'
import type { BlacklistDeps } from './features/blacklist/deps.ts'
import { blacklistHolding } from './features/blacklist/holding.ts'
import { blacklistRoutes } from './features/blacklist/routes.ts'
import { boardHolding } from './features/board/holding.ts'
import { boardRoutes } from './features/board/routes.ts'
import type { BrokerDeps } from './features/broker/deps.ts'
import { emqxRoutes } from './features/broker/emqx-routes.ts'
import { mosquittoRoutes } from './features/broker/mosquitto-routes.ts'
import type { CertificateDeps } from './features/certificate/deps.ts'
import { certificateHolding } from './features/certificate/holding.ts'
import { certificateRoutes } from './features/certificate/routes.ts'
import type { CommandDeps } from './features/command/deps.ts'
import { commandRoutes } from './features/command/routes.ts'
import { consoleRoutes } from './features/console/routes.ts'
import { edgeAppRoutes } from './features/edge/app-routes.ts'
import { edgeConfiguredRoutes } from './features/edge/configured-routes.ts'
import { edgeHolding } from './features/edge/holding.ts'
import { edgeVersionRoutes } from './features/edge/version-routes.ts'
import type { FileDeps } from './features/file/deps.ts'
import { fileHolding } from './features/file/holding.ts'
import { fileRoutes } from './features/file/routes.ts'
import type { GatewayDeps } from './features/gateway/deps.ts'
import { gatewayHolding } from './features/gateway/holding.ts'
import { gatewayRoutes } from './features/gateway/routes.ts'
import type { InstallationDeps } from './features/installation/deps.ts'
import { installationExportRoutes } from './features/installation/export-routes.ts'
import { installationHolding } from './features/installation/holding.ts'
import { installationInfoRoutes } from './features/installation/info-routes.ts'
import { installationRoutes } from './features/installation/routes.ts'
import type { LogDeps } from './features/log/deps.ts'
import { logExportRoutes } from './features/log/export-routes.ts'
import { logImportRoutes } from './features/log/import-routes.ts'
import { logRemovalRoutes } from './features/log/removal-routes.ts'
import { logV2Routes } from './features/log/v2-routes.ts'
import { logV3Routes } from './features/log/v3-routes.ts'
import type { MappingDeps } from './features/mapping/deps.ts'
import { mappingHolding } from './features/mapping/holding.ts'
import { mappingRoutes } from './features/mapping/routes.ts'
import { mobileHolding } from './features/mobile/holding.ts'
import { mobileRoutes } from './features/mobile/routes.ts'
import { modelxHolding } from './features/modelx/holding.ts'
import { devicexRoutes, functionxRoutes } from './features/modelx/routes.ts'
import type { NotificationDeps } from './features/notification/deps.ts'
import {
  executorRoutes,
  installationExecutorRoutes
} from './features/notification/executor-routes.ts'
import { notificationHolding } from './features/notification/holding.ts'
import { messageRoutes } from './features/notification/message-routes.ts'
import { outputRoutes } from './features/notification/output-routes.ts'
import { organizationHolding } from './features/organization/holding.ts'
import { organizationRoutes } from './features/organization/routes.ts'
import { permissionRoutes } from './features/permission/routes.ts'
import { installationQuotaRoutes, organizationQuotaRoutes } from './features/quota/routes.ts'
import type { RegistrationDeps } from './features/registration/deps.ts'
import { registrationHolding } from './features/registration/holding.ts'
import { registrationRoutes } from './features/registration/routes.ts'
import { roleHolding } from './features/role/holding.ts'
import { roleRoutes } from './features/role/routes.ts'
import type { RuleDeps } from './features/rule/deps.ts'
import { ruleHolding } from './features/rule/holding.ts'
import { ruleRoutes } from './features/rule/routes.ts'
import type { SampleDeps } from './features/sample/deps.ts'
import { sampleRoutes } from './features/sample/routes.ts'
import { writeRoutes } from './features/sample/write-routes.ts'
import { scheduleHolding } from './features/schedule/holding.ts'
import { scheduleRoutes } from './features/schedule/routes.ts'
import type { SearchDeps } from './features/search/deps.ts'
import { searchRoutes } from './features/search/routes.ts'
import type { StatusDeps } from './features/status/deps.ts'
import { statusRoutes } from './features/status/routes.ts'
import type { SystemDeps } from './features/system/deps.ts'
import {
  docsRoutes,
  healthRoutes,
  ledgerRoutes,
  metricsRoutes,
  pingRoutes
} from './features/system/routes.ts'
import { systemRoutes } from './features/system/state-routes.ts'
import type { TraceDeps } from './features/trace/deps.ts'
import { traceHolding } from './features/trace/holding.ts'
import { traceRoutes } from './features/trace/routes.ts'
import { userHolding } from './features/user/holding.ts'
import { passwordRoutes } from './features/user/password-routes.ts'
import { userRoutes } from './features/user/routes.ts'
import { tokenRoutes } from './features/user/token-routes.ts'
import type { Holding } from './holding.ts'
import { quotaHolding } from './quota/holding.ts'

/** The dependencies of all rooms together. */
export type RoomDeps = Deps &
  AlarmDeps &
  BlacklistDeps &
  BrokerDeps &
  CertificateDeps &
  CommandDeps &
  FileDeps &
  GatewayDeps &
  InstallationDeps &
  LogDeps &
  MappingDeps &
  NotificationDeps &
  RegistrationDeps &
  RuleDeps &
  SampleDeps &
  SearchDeps &
  StatusDeps &
  SystemDeps &
  TellDeps &
  TraceDeps

/** The route map: which room answers which address, in the order of the contract. */
export const routeMap: ReadonlyArray<readonly [prefix: string, routes: Routes<RoomDeps>]> = [
  ['/api/v2/auth', authRoutes],
  ['/api/v2/log', logV2Routes],
  ['/api/v3beta/log', logV3Routes],
  ['/api/v3beta/search', searchRoutes],
  ['/api/v3beta/log', logExportRoutes],
  ['/api/v3beta/log', logImportRoutes],
  ['/api/v3beta/log', logRemovalRoutes],
  ['/api/v3beta/sample', sampleRoutes],
  ['/api/v2/write', writeRoutes],
  ['/api/v2/mobile', mobileRoutes],
  ['/api/v2/functionx', functionxRoutes],
  ['/api/v2/devicex', devicexRoutes],
  ['/api/v2/status', statusRoutes],
  ['/api/v2/installationinfo', installationInfoRoutes],
  ['/api/v2/installation', installationRoutes],
  ['/api/v2/installation', installationExportRoutes],
  ['/api/v2/installation', installationQuotaRoutes],
  ['/api/v2/board', boardRoutes],
  ['/api/v2/mapping', mappingRoutes],
  ['/api/v2/alarm', alarmDeliveryRoutes],
  ['/api/v2/alarm', alarmRecipientRoutes],
  ['/api/v2/rule', ruleRoutes],
  ['/api/v2/alarm', alarmRoutes],
  ['/api/v2/command', commandRoutes],
  ['/api/v2/schedule', scheduleRoutes],
  ['/api/v2/gateway', gatewayRoutes],
  ['/api/v2/certificate', certificateRoutes],
  ['/api/v2/perimission', permissionRoutes], // [contract: Permissions] spelled exactly so
  ['/api/v2/permission', permissionRoutes],
  ['/api/v2/role', roleRoutes],
  ['/api/v2/user', userRoutes],
  ['/api/v2/user', passwordRoutes],
  ['/api/v2/user', tokenRoutes],
  ['/api/v2/user', registrationRoutes],
  ['/api/v2/user', alarmSettingsRoutes],
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
  ['/api/v2/system', systemRoutes],
  ['/broker', emqxRoutes],
  ['/broker/mosquitto', mosquittoRoutes],
  ['/health', healthRoutes],
  ['/metrics', metricsRoutes],
  ['/docs', docsRoutes],
  ['', consoleRoutes]
]

/** What each room keeps for an owner. A refused deletion names the first holding that blocks it. */
export const holdingsOf = (settings: { timezone: string }): readonly Holding[] => [
  organizationHolding,
  installationHolding,
  userHolding,
  notificationHolding,
  fileHolding,
  registrationHolding,
  roleHolding,
  edgeHolding,
  traceHolding,
  quotaHolding,
  authHolding,
  blacklistHolding,
  gatewayHolding,
  certificateHolding,
  mobileHolding,
  modelxHolding,
  boardHolding,
  mappingHolding,
  ruleHolding,
  alarmHolding,
  scheduleHolding(settings.timezone)
]
