import { jsonText } from './breakages.ts'
import { type Broken, brokenEverywhere, brokenSite, type Parts } from './broken-parts.ts'
import { type Caller, callerFor, isSpecial, type Who } from './callers.ts'
import type { Description, Operation, Parameter } from './description.ts'
import { type Dice, diceOf } from './dice.ts'
import { freshValues, knownFor, otherBody, pathValues, type Setting } from './known.ts'
import type { Tenant } from './tenant.ts'
import { type Known, validValue } from './values.ts'
import { broken, type Wire } from './wire.ts'

export type Fuzzed = {
  number: number
  operation: Operation
  caller: Caller
  /** What is wrong with it, in words; `valid` if nothing is. */
  what: string
  /** The description forbids one of its values. */
  isForbidden: boolean
  wire: Wire
  /** Another request that is sent in the same moment. */
  rival?: Fuzzed
}

export type Ground = Omit<Setting, 'operation' | 'dice' | 'caller' | 'fresh'> & {
  seed: number
  description: Description
  operations: readonly Operation[]
  own: Tenant
  other: Tenant
}

/** The part of the valid requests that are sent twice at once. */
const TWINS = 0.2
/** The part of the valid requests of an administrator whose object is deleted at the same time. */
const RACES = 0.3
/** The part of the requests that use the addresses of other clients, which are not described. */
const LYNX = 0.05
/** An id that nothing has. */
const NO_ID = 4_000_000_000

/** The request with this number. The same seed and number give the same request. */
export async function requestOf(number: number, ground: Ground): Promise<Fuzzed> {
  const { operations, seed, own, platform } = ground
  const round = Math.floor(number / operations.length)
  const dice = diceOf(seed, number)
  const operation = operationOf(number, operations, dice)
  const mode = modeOf(round, dice)
  const who = whoOf(operation, round, dice)
  const mayBeWrong = round > 2
  const caller = await callerFor(who, operation, { platform, tenant: own, dice, mayBeWrong })
  const isRace = who === 'administrator' && mode === 'valid' && round > 2 && dice.chance(RACES)
  const rival = isRace ? rivalOf(operation, ground, dice) : undefined
  const setting = { ...ground, operation, dice, caller, fresh: {} }
  setting.fresh = rival ? await freshValues(own, { ...setting, operation: rival }) : {}
  const parts = await partsOf(setting, ground, { round, mode, isRace: rival !== undefined })

  const fuzzed = { number, operation, caller, ...changed() }
  if (rival) {
    const values = { ...pathValues(own, rival, ''), ...setting.fresh }
    const path = mapped(values, encode)
    const wire = wireOf(
      { path, query: [], body: undefined, text: undefined },
      { ...setting, operation: rival }
    )
    const what = `while ${operation.id} runs`
    return { ...fuzzed, rival: { ...fuzzed, operation: rival, what, isForbidden: false, wire } }
  }
  if (mode === 'valid' && round > 2 && dice.chance(TWINS)) return { ...fuzzed, rival: fuzzed }
  return fuzzed

  function changed(): Pick<Fuzzed, 'what' | 'isForbidden' | 'wire'> {
    if (mode === 'wire') return { ...broken(wireOf(parts, setting), dice), isForbidden: false }
    const { what, isForbidden, parts: sent, isRerouted = false } = changedParts()
    const wire = { ...wireOf(sent, setting), isRerouted }
    if (round <= 2 || !wire.path.startsWith('/api/') || !dice.chance(LYNX)) {
      return { what, isForbidden, wire }
    }
    return { what, isForbidden, wire: { ...wire, path: `/lynx${wire.path}`, isRerouted: true } }
  }

  function changedParts(): Broken {
    if (mode === 'site') return brokenSite(parts, setting, ground.description)
    if (mode === 'all') return brokenEverywhere(parts, setting, ground.description)
    return { what: 'valid', isForbidden: false, parts }
  }
}

const mapped = <T, U>(values: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))

/** A deletion of something that the path of the operation names. */
function rivalOf(operation: Operation, ground: Ground, dice: Dice): Operation | undefined {
  const names = operation.parameters.map(({ name }) => name)
  const rivals = ground.operations.filter(({ id, method, path }) => {
    const [, last = ''] = /{(\w+)}$/.exec(path) ?? []
    // Some delete only a part of what the path names.
    const isWhole = last !== 'meta_key' && id !== 'deleteLog'
    return method === 'DELETE' && id !== operation.id && isWhole && names.includes(last)
  })
  return rivals.length > 0 ? dice.pick(rivals) : undefined
}

type Stage = { round: number; mode: Mode; isRace: boolean }

async function partsOf(setting: Setting, ground: Ground, stage: Stage): Promise<Parts> {
  const { round, mode, isRace } = stage
  const { operation, dice, caller, platform } = setting
  const { own, other } = ground
  const { who } = caller
  const unique = platform.world.unique('k')
  // The administrator changes nothing of the other tenant, so that it can be compared at the end.
  const mayMeet = who === 'administrator' ? operation.method === 'GET' : who !== 'nobody'
  const isForeign = round > 2 && mayMeet && !isRace && dice.chance(0.2)
  const isInside = operation.parameters.filter(({ in: place }) => place === 'path').length > 1
  const isMixed = isForeign && isInside && dice.chance(0.4)
  if (who !== 'nobody' && !isForeign && !isRace && usesUp(operation)) {
    setting.fresh = await freshValues(own, setting)
  }
  const ids = {
    ...pathValues(isForeign ? other : own, operation, unique),
    // The container is the caller's, what is in it is not.
    ...(isMixed && pick(pathValues(own, operation, unique), 'installation_id', 'organization_id')),
    ...setting.fresh
  }
  const bodyTenant = who === 'member' && round > 2 && dice.chance(0.1) ? other : own
  const known = knownFor(bodyTenant, setting)
  const isPlain = round <= 2 || mode !== 'valid' || isRace
  const parts = validParts({ ids, known, isPlain, unique }, setting, ground)
  if (round > 2 && !isRace && dice.chance(0.05)) absent(parts, operation, dice)
  return parts
}

/** Operations that can be done once with an object. */
const usesUp = ({ id, method }: Operation) => method === 'DELETE' || id === 'publishEdgeAppVersion'

/** They hash a password, which takes as long as a hundred other requests. */
const SLOW = /^(signIn|resetPassword|changePassword|set\w+Password|emqxSignIn|mosquittoSignIn)$/
const SLOW_EVERY_ROUNDS = 8

function operationOf(number: number, operations: readonly Operation[], dice: Dice): Operation {
  const operation = operations[number % operations.length] as Operation
  const round = Math.floor(number / operations.length)
  if (round <= 2 || round % SLOW_EVERY_ROUNDS === 0 || !SLOW.test(operation.id)) return operation
  return dice.pick(operations.filter(({ id }) => !SLOW.test(id)))
}

type Mode = 'valid' | 'site' | 'all' | 'wire'

function modeOf(round: number, dice: Dice): Mode {
  const roll = dice.roll()
  if (round <= 2 || roll < 0.2) return 'valid'
  if (roll < 0.8) return 'site'
  return roll < 0.87 ? 'all' : 'wire'
}

/** The first rounds have one valid request of each caller. */
function whoOf(operation: Operation, round: number, dice: Dice): Who {
  const first = (['administrator', 'member', 'nobody'] as const)[round]
  const roll = dice.roll()
  if (isSpecial(operation) && (round === 0 || (round > 2 && roll < 0.7))) return 'special'
  if (first) return first
  if (roll < 0.4) return 'administrator'
  return roll < 0.85 ? 'member' : 'nobody'
}

const pick = (values: Record<string, string | number>, ...names: string[]) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)))

type Valid = {
  ids: Record<string, string | number>
  known: Known
  isPlain: boolean
  unique: string
}

function validParts(valid: Valid, setting: Setting, ground: Ground): Parts {
  const { ids, known, isPlain, unique } = valid
  const { operation, dice } = setting
  const choices = { dice, description: ground.description, known, isPlain }
  const path: Parts['path'] = {}
  const query: Parts['query'] = []
  for (const parameter of operation.parameters) {
    const { name, schema, required } = parameter
    if (parameter.in === 'path') path[name] = encode(ids[name] ?? NO_ID)
    else if (required || (isPlain ? known.isNeeded(name) : dice.chance(0.4))) {
      query.push(...queryOf(parameter, validValue(schema, choices, name)))
    }
  }
  const text = otherBody(operation, unique, ground.own)
  const body = operation.body && !text && validValue(operation.body.schema, choices)
  return { path, query, body, text }
}

/** Well-formed, as `encodeURIComponent` refuses lone surrogates. */
const encode = (value: unknown): string => encodeURIComponent(String(value).toWellFormed())

function queryOf({ name, schema }: Parameter, value: unknown): Parts['query'] {
  if (schema.type === 'object') {
    const prefix = schema.propertyNames ? 'metadata.' : ''
    return Object.entries(value as object).flatMap(([key, one]) =>
      [one].flat().map((text): [string, string] => [encode(prefix + key), encode(text)])
    )
  }
  return [value].flat().map((one) => [encode(name), encode(one)])
}

/** One of the ids is that of nothing. */
function absent({ path }: Parts, { parameters }: Operation, dice: Dice): void {
  const ids = parameters.filter(({ name }) => name.endsWith('_id'))
  if (ids.length > 0) path[dice.pick(ids).name] = String(NO_ID)
}

function wireOf({ path, query, body, text }: Parts, { operation, dice, caller }: Setting): Wire {
  const where = operation.path.replace(/{(\w+)}/g, (_, name) => path[name] ?? '')
  const asked = query.map(([name, value]) => `${name}=${value}`).join('&')
  const type = text?.type ?? 'application/json'
  const sent = text?.text ?? (body === undefined ? undefined : jsonText(body))
  // Sign-ins are limited by address, so each request comes from another one.
  const address = [10, dice.below(256), dice.below(256), dice.below(256)].join('.')
  return {
    method: operation.method,
    path: asked ? `${where}?${asked}` : where,
    headers: {
      ...caller.headers,
      'x-forwarded-for': address,
      ...(sent !== undefined && { 'content-type': type })
    },
    body: sent === undefined ? undefined : Buffer.from(sent)
  }
}
