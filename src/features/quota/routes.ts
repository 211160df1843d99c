import type { Static } from 'typebox'
import { onInstallation, onOrganization } from '../../access/guard.ts'
import { updates } from '../../access/trace.ts'
import { reachesEverything } from '../../access/visibility.ts'
import type { App, Deps, Routes } from '../../deps.ts'
import { badRequest, forbidden } from '../../http/errors.ts'
import { type Overrides, type Payer, type PayerKind, quotaNames } from '../../lib/quota.ts'
import { writeQuotas } from '../../registry/quotas.ts'
import { inTransaction } from '../../registry/transaction.ts'
import { ownerParams, Quota, QuotaUpdate, Usage } from './schema.ts'
import { usageOf } from './usage.ts'

const accesses = {
  installation: {
    view: onInstallation('installation/list'),
    edit: onInstallation('installation/update')
  },
  organization: {
    view: onOrganization('organization/list', 'organization/list/all'),
    edit: onOrganization('organization/update')
  }
}

export const organizationQuotaRoutes: Routes = (app, deps) => quotaRoutes(app, deps, 'organization')
export const installationQuotaRoutes: Routes = (app, deps) => quotaRoutes(app, deps, 'installation')

/** [ADR-0037] Whoever sees an owner sees its quotas; they are set by those who reach the top organization. */
function quotaRoutes(app: App, deps: Deps, kind: PayerKind): void {
  const { registry, quotas, directory, clock } = deps
  const tags = [kind === 'installation' ? 'Installation' : 'Organization']
  const { view, edit } = accesses[kind]
  const params = ownerParams[kind]
  const path = `/:${kind}_id`

  app.get(
    `${path}/usage`,
    {
      schema: {
        tags,
        summary:
          kind === 'installation'
            ? 'What an installation uses of each quota'
            : 'What an organization and all below it use of each quota',
        params,
        response: { 200: Usage }
      },
      config: { access: view }
    },
    async ({ params }) => usageOf(deps, payerIn(kind, params))
  )

  app.get(
    `${path}/quota`,
    {
      schema: {
        tags,
        summary: `The quotas of an ${kind}`,
        params,
        response: { 200: Quota }
      },
      config: { access: view }
    },
    async ({ params }) => shown(payerIn(kind, params))
  )

  app.put(
    `${path}/quota`,
    {
      schema: {
        tags,
        summary: `Set all quotas of an ${kind} by those who reach the top organization; what is missing or null has the default`,
        params,
        body: QuotaUpdate,
        response: { 200: Quota }
      },
      config: { access: edit, trace: updates(kind, `${kind}_id`, 'set the quotas of') }
    },
    async ({ principal, params, body }) => {
      // Nobody gives themselves more.
      if (!reachesEverything(principal)) throw forbidden()
      const payer = payerIn(kind, params)
      if (!quotas.limitsOf(payer)) throw badRequest('the top organization has no quotas')
      await inTransaction(registry, (registry) =>
        writeQuotas(registry, payer, overridesIn(body), clock())
      )
      await directory.catchUp()
      return shown(payer)
    }
  )

  const shown = (payer: Payer): Static<typeof Quota> => ({
    defaults: quotas.defaultsOf(payer.kind),
    overrides: quotas.overridesOf(payer),
    effective: quotas.limitsOf(payer) ?? noLimits
  })
}

const noLimits = Object.fromEntries(quotaNames.map((name) => [name, null])) as Static<
  typeof Quota
>['effective']

const overridesIn = (body: Static<typeof QuotaUpdate>): Overrides =>
  Object.fromEntries(Object.entries(body).filter(([, quota]) => typeof quota === 'number'))

/** The guard has checked the id by the same name. */
const payerIn = (kind: PayerKind, params: object): Payer => ({
  kind,
  id: (params as Record<string, number>)[`${kind}_id`] ?? 0
})
