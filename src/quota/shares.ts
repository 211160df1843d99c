import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLong } from '../history/history.ts'
import { noPlaceFree, tooManyOf } from '../http/errors.ts'
import { hungUp } from '../http/hung-up.ts'
import { FairSlots, TooBusy, TooManyAtOnce } from '../lib/fair-slots.ts'
import { SECOND } from '../lib/unix-time.ts'
import type { Directory } from '../permission/directory.ts'
import type { Principal } from '../permission/principal.ts'
import type { Quotas } from './quotas.ts'

type Bounds = {
  /** Places for all tenants together. */
  atOnce: number
  /** Places for one tenant. */
  each: number
  /** Places that are kept for callers who reach the top organization. */
  kept: number
  /** How many requests of one tenant may wait for a place, and how long. */
  waiting: number
  waitMs: number
}

/** [ADR-0038] What the tenants share, and how much of it each tenant gets. */
const boundsFor = (pagesAtOnce: number) => ({
  // Each import holds one or two batches in memory.
  imports: { atOnce: 8, each: 2, kept: 2, waiting: 2, waitMs: 10 * SECOND },
  // Each holds some MiB in memory, and is stored within some milliseconds.
  'writes of values': { atOnce: 32, each: 8, kept: 4, waiting: 32, waitMs: 10 * SECOND },
  // A command that waits costs little, but may wait for a minute.
  commands: { atOnce: 2000, each: 500, kept: 100, waiting: 0, waitMs: SECOND },
  uploads: { atOnce: 64, each: 16, kept: 8, waiting: 8, waitMs: 10 * SECOND },
  exports: { atOnce: 8, each: 2, kept: 2, waiting: 4, waitMs: 10 * SECOND },
  // A removal writes to history in parts, between those of all tenants.
  removals: { atOnce: 4, each: 1, kept: 1, waiting: 4, waitMs: 30 * SECOND },
  'log queries': logQueries(pagesAtOnce),
  'log queries of long times': logQueries(pagesAtOnce),
  searches: { atOnce: 4, each: 2, kept: 1, waiting: 50, waitMs: 30 * SECOND },
  // A list is made while it is read. A place costs little, but a slow reader keeps it for long.
  'long lists': { atOnce: 256, each: 64, kept: 32, waiting: 64, waitMs: 30 * SECOND }
})

const logQueries = (atOnce: number): Bounds => ({
  atOnce,
  each: atOnce / 2,
  kept: atOnce / 4,
  waiting: 100,
  waitMs: 30 * SECOND
})

export type Shared = keyof ReturnType<typeof boundsFor>

/** The places that a query of history takes. */
export const queriesOf = (asked: Parameters<typeof isLong>[0]): Shared =>
  isLong(asked) ? 'log queries of long times' : 'log queries'

/** `installation` is set on routes that name one. */
type Callers = Pick<FastifyRequest, 'principal' | 'params'> &
  Partial<Pick<FastifyRequest, 'installation'>>

/** All callers who reach the top organization count as this one. */
const PLATFORM = 'platform'

/**
 * The places for slow work of requests, which tenants share. A tenant is an organization right
 * below the top. Whatever one tenant asks for, there is a place for the others and for callers who
 * reach the top.
 */
export class Shares {
  readonly #quotas: Quotas
  readonly #directory: Directory
  readonly #bounds: Readonly<Record<Shared, Bounds>>
  readonly #slots: Readonly<Record<Shared, FairSlots>>

  constructor(quotas: Quotas, directory: Directory, pagesAtOnce: number) {
    this.#quotas = quotas
    this.#directory = directory
    this.#bounds = boundsFor(pagesAtOnce)
    this.#slots = Object.fromEntries(
      Object.entries(this.#bounds).map(([what, limits]) => [what, new FairSlots(limits)])
    ) as Record<Shared, FairSlots>
  }

  /**
   * Takes a place until the answer is sent, the caller is gone, or the returned function is called.
   * A caller who cannot have a place is told which limit was reached.
   */
  async take(what: Shared, request: FastifyRequest, { raw }: FastifyReply): Promise<() => void> {
    const { each, kept, waiting, waitMs } = this.#bounds[what]
    const mayTakeKept = request.principal.reachesTop
    const most = each + waiting + (mayTakeKept ? kept : 0)
    const caller = this.#callerOf(request)
    const signal = hungUp(raw)
    const free = await this.#slots[what]
      .take({ caller, most, mayTakeKept, signal })
      .catch((error) => {
        if (error instanceof TooManyAtOnce) throw tooManyOf(what, { each, waiting })
        throw error instanceof TooBusy ? noPlaceFree(what, waitMs / SECOND) : error
      })
    // After `close` there is no second `close` event.
    if (raw.closed) free()
    else raw.once('close', free)
    return free
  }

  #callerOf({ principal, params, installation }: Callers): string {
    if (principal.reachesTop) return PLATFORM
    const { organization_id } = params as { organization_id?: number }
    const organization =
      installation?.organization_id ?? organization_id ?? this.#organizationOf(principal)
    if (organization === undefined) return principal.owner
    return String(this.#quotas.organizationsOf(organization).at(-1)?.id ?? organization)
  }

  /**
   * The first organization of the caller. A caller without one, such as a gateway: the organization
   * of its first installation.
   */
  #organizationOf({ organizationIds, assigned }: Principal): number | undefined {
    const [first] = assigned
    return organizationIds[0] ?? this.#directory.installation(first ?? 0)?.organization_id
  }
}
