import type { Routes } from './deps.ts'
import { authRoutes } from './features/auth/routes.ts'
import { installationInfoRoutes } from './features/installation/info-routes.ts'
import { installationRoutes } from './features/installation/routes.ts'
import { logV3Routes } from './features/log/v3-routes.ts'
import { statusRoutes } from './features/status/routes.ts'
import {
  docsRoutes,
  healthRoutes,
  ledgerRoutes,
  metricsRoutes,
  pingRoutes
} from './features/system/routes.ts'
import { userRoutes } from './features/user/routes.ts'

/** THE ROUTE MAP: which room answers which address, in the order of the contract. */
export const routeMap: ReadonlyArray<readonly [prefix: string, routes: Routes]> = [
  ['/api/v2/auth', authRoutes],
  ['/api/v3beta/log', logV3Routes],
  ['/api/v2/status', statusRoutes],
  ['/api/v2/installationinfo', installationInfoRoutes],
  ['/api/v2/installation', installationRoutes],
  ['/api/v2/user', userRoutes],
  ['/api/v2/ping', pingRoutes],
  ['/api/v2/ledger', ledgerRoutes],
  ['/health', healthRoutes],
  ['/metrics', metricsRoutes],
  ['/docs', docsRoutes]
]
