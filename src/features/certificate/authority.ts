import type { Clock } from '../../lib/clock.ts'
import { DAY, HOUR } from '../../lib/unix-time.ts'
import { readPlatformId } from '../../registry/platform.ts'
import type { Registry } from '../../registry/tables.ts'
import type { CertificateThread } from './thread.ts'
import type { AuthorityPair } from './worker.ts'

const AUTHORITY_DAYS = 20 * 365
/** Clocks of nodes differ a little. */
export const BACKDATED_MS = HOUR

type Parts = {
  registry: Registry
  thread: CertificateThread
  clock: Clock
  /** Called with the certificate as soon as this node knows it. */
  onKnown: (pem: string) => void
}

/** The authority of the platform. It is made at the first use, and all nodes share it. */
export class Authority {
  readonly #parts: Parts
  #known: AuthorityPair | undefined
  #making: Promise<AuthorityPair> | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Another node may have made it. */
  async catchUp(): Promise<AuthorityPair | undefined> {
    if (this.#known) return this.#known
    const row = await this.#parts.registry
      .selectFrom('certificate_authority')
      .select(['certificate', 'private_key'])
      .where('id', '=', 1)
      .executeTakeFirst()
    if (!row) return undefined
    this.#known = row
    this.#parts.onKnown(row.certificate)
    return row
  }

  /** Makes it if there is none. */
  async get(): Promise<AuthorityPair> {
    const known = await this.catchUp()
    if (known) return known
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined
    })
    return this.#making
  }

  async #make(): Promise<AuthorityPair> {
    const { registry, thread, clock } = this.#parts
    const now = clock()
    const name = `Caracal ${await readPlatformId(registry)}`
    const period = { not_before: now - BACKDATED_MS, not_after: now + AUTHORITY_DAYS * DAY }
    const pair = await thread.call('makeAuthority', [{ name, ...period }])
    await registry
      .insertInto('certificate_authority')
      .values({ id: 1, ...pair, created: now })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
    // Another node may have been faster.
    return (await this.catchUp()) ?? pair
  }
}
