import { type Static, type TObject, Type } from 'typebox'
import type { App, Deps, Routes } from '../../deps.ts'
import { badRequest, conflict, forbidden, notFound } from '../../http/errors.ts'
import { checkMatch, tagged } from '../../http/etag.ts'
import { dropIfStalled, hungUpOrLate } from '../../http/hung-up.ts'
import { each, sendList } from '../../http/json-text.ts'
import { InstallationParams, Message } from '../../http/schema.ts'
import { timed } from '../../http/timed.ts'
import { creates, deletes, readsOnly, updates } from '../../http/traced.ts'
import { Turns } from '../../lib/turns.ts'
import { DAY, momentOr, SECOND, toSeconds, type UnixMs, unixMs } from '../../lib/unix-time.ts'
import { onInstallation, withinOrganization } from '../../permission/guard.ts'
import { typesAllowed } from '../../permission/modelx-types.ts'
import { may } from '../../permission/principal.ts'
import type { RouteAccess } from '../../permission/route-access.ts'
import { queriesOf } from '../../quota/shares.ts'
import { clientIdOfInstallation, findInstallation } from '../../registry/installations.ts'
import { listRules, type RuleOwner } from '../../registry/rules.ts'
import type { RuleDeps } from './deps.ts'
import { fieldsOf } from './fields.ts'
import {
  changeRule,
  deleteRule,
  type Full,
  findRule,
  insertRule,
  MAX_BYTES_TOGETHER,
  MAX_RULES,
  type RuleRecord,
  recordOf
} from './rows.ts'
import {
  NewRule,
  OrganizationParams,
  OrganizationRule,
  OrganizationRuleParams,
  Rule,
  RuleParams,
  RuleTrial,
  RuleTry,
  RuleUpdate
} from './schema.ts'
import { replay, watchesOf } from './trial.ts'

const tags = ['Rule']

export const ruleRoutes: Routes<RuleDeps> = (app, deps) => {
  ownerRoutes(app, deps, {
    kind: 'installation',
    url: '/:installation_id',
    names: { one: 'Rule', many: 'Rules' },
    params: { all: InstallationParams, one: RuleParams },
    schema: Rule,
    access: onInstallation
  })
  ownerRoutes(app, deps, {
    kind: 'organization',
    url: '/organization/:organization_id',
    names: { one: 'OrganizationRule', many: 'OrganizationRules' },
    params: { all: OrganizationParams, one: OrganizationRuleParams },
    schema: OrganizationRule,
    access: withinOrganization
  })

  app.post(
    '/:installation_id/try',
    {
      schema: {
        tags,
        operationId: 'tryRule',
        summary: 'The alarms that a rule would have raised over stored values, newest first',
        description: 'The caller needs `log/read` as well',
        params: InstallationParams,
        body: RuleTry,
        response: { 200: RuleTrial }
      },
      config: { access: onInstallation('rule/list'), trace: readsOnly }
    },
    async (request, reply) => {
      const { installation, principal, body } = request
      if (!may(principal, 'log/read', installation)) throw forbidden()
      const definition = fieldsOf(body.rule, { within: 'rule/' })
      const now = deps.clock()
      const window = windowOf(body, now)
      const zone = (await findInstallation(deps.registry, installation.id))?.timezone
      const types = typesAllowed(principal, 'functionx', 'view', installation)
      const trial = { definition, installation, types, zone: zone || deps.timezone }
      await deps.shares.take(queriesOf(window), request, reply)
      const signal = hungUpOrLate(reply.raw)
      const watches = await watchesOf(deps, trial)
      const shape = {
        installation_id: installation.id,
        span_seconds: (window.to - window.from) / SECOND,
        topics: watches.size
      }
      const alarms = await timed(reply, deps, shape, () =>
        replay(deps, { installation, watches }, { ...window, now }, signal)
      )
      dropIfStalled(reply.raw)
      return {
        alarms: alarms.map(({ topic, raised_at, cleared_at, value }) => ({
          ...{ topic, value, raised_at: toSeconds(raised_at) },
          cleared_at: cleared_at === null ? null : toSeconds(cleared_at)
        }))
      }
    }
  )
}

/** As in the log: the last 24 hours. */
function windowOf(asked: { from?: number; to?: number }, now: UnixMs) {
  const from = momentOr(unixMs(now - DAY), asked.from)
  const to = momentOr(now, asked.to)
  if (from > to) throw badRequest('from must not be later than to')
  return { from, to }
}

type OwnerKind = {
  kind: RuleOwner['kind']
  url: string
  names: { one: string; many: string }
  params: { all: TObject; one: TObject }
  schema: typeof Rule | typeof OrganizationRule
  access: (action: 'rule/list' | 'rule/create_delete' | 'rule/update') => RouteAccess
}

/** Rules of an installation, or of an organization for all installations in it and below. */
function ownerRoutes(app: App, deps: Deps & RuleDeps, owned: OwnerKind): void {
  const { registry, clock } = deps
  const { kind, url, names, params, schema, access } = owned
  const ownerOf = (params: unknown): RuleOwner => ({
    kind,
    id: (params as Record<string, number>)[`${kind}_id`] ?? 0
  })
  const idOf = (params: unknown): number => (params as { rule_id: number }).rule_id
  const shown = (owner: RuleOwner, { id, ...fields }: RuleRecord) =>
    ({ id, [`${kind}_id`]: owner.id, ...fields }) as unknown as Static<typeof Rule>

  const requireRoom = <T>(rule: T | Full): T => {
    if (rule !== 'too many' && rule !== 'too long') return rule
    throw badRequest(
      rule === 'too many'
        ? `an ${kind} has at most ${MAX_RULES} rules`
        : `all rules of an ${kind} have at most ${MAX_BYTES_TOGETHER} bytes as JSON`
    )
  }

  app.get(
    url,
    {
      schema: {
        tags,
        operationId: `list${names.many}`,
        summary: `Rules of an ${kind}`,
        params: params.all,
        response: { 200: Type.Array(schema) }
      },
      config: { access: access('rule/list') }
    },
    async (request, reply) => {
      const owner = ownerOf(request.params)
      await deps.shares.take('long lists', request, reply)
      dropIfStalled(reply.raw)
      return sendList(
        reply,
        each(listRules(registry, owner), (row) => shown(owner, recordOf(row)))
      )
    }
  )

  app.post(
    url,
    {
      schema: {
        tags,
        operationId: `create${names.one}`,
        summary: `Create a rule of an ${kind}`,
        faults: [409],
        params: params.all,
        body: NewRule,
        response: { 200: schema }
      },
      config: { access: access('rule/create_delete'), trace: creates('rule') }
    },
    async ({ params, body }) => {
      const owner = ownerOf(params)
      requireJudging(deps)
      const fields = fieldsOf(body)
      return shown(owner, requireRoom(await insertRule(registry, owner, fields, clock())))
    }
  )

  app.get(
    `${url}/:rule_id`,
    {
      schema: {
        tags,
        operationId: `get${names.one}`,
        summary: `One rule of an ${kind}`,
        faults: [404],
        params: params.one,
        response: { 200: schema }
      },
      config: { access: access('rule/list') }
    },
    async ({ params }, reply) => {
      const owner = ownerOf(params)
      const rule = await findRule(registry, owner, idOf(params))
      if (!rule) throw notFound()
      return tagged(reply, shown(owner, rule))
    }
  )

  app.put(
    `${url}/:rule_id`,
    {
      schema: {
        tags,
        operationId: `update${names.one}`,
        summary: `Update a rule of an ${kind}; fields that are missing keep their value, and those that are null as well, except schedule`,
        faults: [404, 409, 412],
        params: params.one,
        body: RuleUpdate,
        response: { 200: schema }
      },
      config: { access: access('rule/update'), trace: updates('rule', 'rule_id') }
    },
    async (request, reply) => {
      const { params, body } = request
      const owner = ownerOf(params)
      const change = (current: RuleRecord) => {
        checkMatch(request, shown(owner, current))
        const fields = fieldsOf(body, { current })
        if (fields.active && !current.active) requireJudging(deps)
        return fields
      }
      const changed = requireRoom(
        await changeRule(registry, owner, idOf(params), { change, now: clock() })
      )
      if (!changed) throw notFound()
      await tellCleared(deps, changed.cleared)
      return tagged(reply, shown(owner, changed.rule))
    }
  )

  app.delete(
    `${url}/:rule_id`,
    {
      schema: {
        tags,
        operationId: `delete${names.one}`,
        summary: `Delete a rule of an ${kind}; its open alarms are cleared`,
        faults: [404],
        params: params.one,
        response: { 200: Message }
      },
      config: { access: access('rule/create_delete'), trace: deletes('rule', 'rule_id') }
    },
    async ({ params }) => {
      const deleted = await deleteRule(registry, ownerOf(params), idOf(params), clock())
      if (!deleted) throw notFound()
      await tellCleared(deps, deleted.cleared)
      return { message: 'Deleted' }
    }
  )
}

/** Rules read the spool, and with ACK=history values do not go through it. */
function requireJudging({ hasRules }: RuleDeps): void {
  if (!hasRules) throw conflict('rules need CARACAL_ACK=spool: with history no rule sees a value')
}

async function tellCleared(
  { alarmEvents }: RuleDeps,
  installations: readonly number[]
): Promise<void> {
  const turns = new Turns()
  for (const id of installations) {
    if (turns.isLate()) await turns.next()
    alarmEvents.tell(clientIdOfInstallation(id))
  }
}
