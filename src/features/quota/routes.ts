import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import type { App, Deps, Routes } from '../../deps.ts'
import { badRequest, forbidden } from '../../http/errors.ts'
import { checkMatch, tagged } from '../../http/etag.ts'
import { updates } from '../../http/traced.ts'
import {
  type Overrides,
  type Payer,
  type PayerKind,
  type QuotaName,
  quotaNames
} from '../../lib/quota.ts'
import { onInstallation, onOrganization } from '../../permission/guard.ts'
import { reachesEverything } from '../../permission/visibility.ts'
import { quotasOf, writeQuotas } from '../../quota/overrides.ts'
import { inTransaction } from '../../registry/transaction.ts'
import { Quota, QuotaUpdate, quotaOwnerParams, Usage } from './schema.ts'
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

/**
 * [ADR-0037] Callers who see an owner see its quotas. Only callers who reach the top organization
 * set them.
 */
function quotaRoutes(app: App, deps: Deps, kind: PayerKind): void {
  const { registry, quotas, directory, clock } = deps
  const name = kind === 'installation' ? 'Installation' : 'Organization'
  const tags = [name]
  const { view, edit } = accesses[kind]
  const params = quotaOwnerParams[kind]
  const path = `/:${kind}_id`

  app.get(
    `${path}/usage`,
    {
      schema: {
        tags,
        operationId: `get${name}Usage`,
        summary:
          kind === 'installation'
            ? 'How much of each quota an installation uses'
            : 'How much of each quota an organization and all below it use',
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
        operationId: `get${name}Quota`,
        summary: `The quotas of an ${kind}`,
        params,
        response: { 200: Quota }
      },
      config: { access: view }
    },
    async ({ params }, reply) => answered(reply, payerIn(kind, params))
  )

  app.put(
    `${path}/quota`,
    {
      schema: {
        tags,
        operationId: `update${name}Quota`,
        summary: `Set all quotas of an ${kind}; only for callers who reach the top organization; fields that are missing or null get the default`,
        faults: [412],
        params,
        body: QuotaUpdate,
        response: { 200: Quota }
      },
      config: { access: edit, trace: updates(kind, `${kind}_id`, 'set the quotas of') }
    },
    async (request, reply) => {
      const { principal, params, body } = request
      // Callers must not raise their own quotas.
      if (!reachesEverything(principal)) throw forbidden()
      const payer = payerIn(kind, params)
      if (!quotas.limitsOf(payer)) throw badRequest('the top organization has no quotas')
      await inTransaction(registry, async (registry) => {
        checkMatch(request, lasting(await quotasOf(registry, payer)))
        await writeQuotas(registry, payer, overridesIn(body), clock())
      })
      await directory.catchUp()
      return answered(reply, payer)
    }
  )

  const answered = (reply: FastifyReply, payer: Payer) =>
    tagged(reply, shown(payer), lasting(quotas.overridesOf(payer)))

  const shown = (payer: Payer): Static<typeof Quota> => ({
    defaults: { ...quotas.defaultsOf(payer.kind), history_days: quotas.platformDays ?? null },
    overrides: quotas.overridesOf(payer),
    effective: {
      ...(quotas.limitsOf(payer) ?? noLimits),
      history_days: quotas.historyDaysOf(payer) ?? null
    }
  })
}

const noLimits = Object.fromEntries(quotaNames.map((name) => [name, null])) as Record<
  QuotaName,
  null
>

/** What callers change of the quotas, in one order. */
const lasting = (own: Overrides) => Object.entries(own).sort()

const overridesIn = (body: Static<typeof QuotaUpdate>): Overrides =>
  Object.fromEntries(Object.entries(body).filter(([, quota]) => typeof quota === 'number'))

/** The guard has already checked this id. */
const payerIn = (kind: PayerKind, params: object): Payer => ({
  kind,
  id: (params as Record<string, number>)[`${kind}_id`] ?? 0
})
