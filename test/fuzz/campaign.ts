import type { TestPlatform } from '../support/platform.ts'
import { type Description, operationsOf } from './description.ts'
import { Dice } from './dice.ts'
import { Judge } from './judge.ts'
import { type Fuzzed, type Ground, requestOf } from './requests.ts'
import { type Answer, Sender } from './sender.ts'
import { makeTenant, removeTenant, type Tenant } from './tenant.ts'

/** In every name of the other tenant. No request contains it. */
export const SECRET = 'quetzal'
const AT_ONCE = 8
/** After so many requests they get a new tenant, because limits count by tenant. */
const REQUESTS_PER_TENANT = 2500
const MAX_FINDINGS = 40

export type Finding = { fault: string; times: number; example: string }
export type Outcome = {
  findings: Finding[]
  /** How many answers had a status of this class, such as `4xx`; 429 is a class of its own. */
  classes: Record<string, number>
  /** Operations that never answered 2xx, with the answer to their first request. */
  unsuccessful: Record<string, string>
}

type Plan = {
  platform: TestPlatform
  executorUrl: string
  seed: number
  requests: number
  other: Tenant
}

/** Sends the requests of a seed, and judges every answer. */
export async function runCampaign(plan: Plan): Promise<Outcome> {
  const { platform, seed, requests, other, executorUrl } = plan
  const { json } = await platform.world.request('GET /docs/openapi.json')
  const description = json as Description
  // Operations of one room are limited together, so they do not follow each other.
  const operations = new Dice(seed).shuffled(operationsOf(description))
  const judge = new Judge(description, SECRET)
  const sender = new Sender(platform.httpPort, 2 * AT_ONCE)
  const findings = new Map<string, Finding>()
  const classes: Record<string, number> = {}
  const successful = new Set<string>()
  const first = new Map<string, string>()
  const tenants: Promise<Tenant>[] = []
  const tenantOf = (number: number): Promise<Tenant> => {
    const index = Math.floor(number / REQUESTS_PER_TENANT)
    tenants[index] ??= nextTenant(tenants[index - 2])
    return tenants[index]
  }
  /** Removes a tenant that no request uses any more, or lists would become longer and longer. */
  const nextTenant = async (gone?: Promise<Tenant>) => {
    if (gone) await removeTenant(platform, await gone)
    return makeTenant(platform, 'home', executorUrl)
  }
  let next = 0
  const work = async () => {
    while (next < requests) {
      const number = next++
      const own = await tenantOf(number)
      const ground: Ground = { ...plan, description, operations, own, other }
      const fuzzed = await requestOf(number, ground)
      const together = fuzzed.rival ? [fuzzed, fuzzed.rival] : [fuzzed]
      const sent = together.map(async (one) => {
        const answer = await sender.send(one.wire)
        note(one, answer, judge.faultOf(one, answer))
      })
      await Promise.all(sent)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  sender.close()
  return {
    findings: [...findings.values()].slice(0, MAX_FINDINGS),
    classes,
    unsuccessful: Object.fromEntries([...first].filter(([id]) => !successful.has(id)))
  }

  function note(fuzzed: Fuzzed, answer: Answer, fault: string | undefined): void {
    const { id } = fuzzed.operation
    const name = answer.kind === 'answer' ? classOf(answer.status) : answer.kind
    classes[name] = (classes[name] ?? 0) + 1
    if (name === '2xx' && !fuzzed.wire.isRerouted) successful.add(id)
    if (!first.has(id)) first.set(id, told(fuzzed, answer, seed))
    if (fault === undefined) return
    const key = `${id}: ${fault}`
    const found = findings.get(key) ?? { fault: key, times: 0, example: told(fuzzed, answer, seed) }
    found.times++
    findings.set(key, found)
  }
}

const classOf = (status: number): string =>
  status === 429 ? '429' : `${Math.floor(status / 100)}xx`

const MAX_SHOWN = 400

function told({ number, caller, what, wire }: Fuzzed, answer: Answer, seed: number): string {
  const shown = (text: string) =>
    text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}... (${text.length})` : text
  const got =
    answer.kind === 'answer' ? `${answer.status} ${shown(answer.body.toString())}` : answer.kind
  return [
    `seed ${seed}, request ${number}, as ${caller.who}: ${what}`,
    `${wire.method} ${shown(wire.path)}`,
    shown(JSON.stringify(wire.headers)),
    shown(wire.body?.toString() ?? 'no body'),
    `-> ${got}`
  ].join('\n  ')
}
