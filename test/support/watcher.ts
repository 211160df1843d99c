import type { TestContext } from 'node:test'
import pino from 'pino'
import type { Watcher } from '../../src/features/alarm/watcher.ts'
import { insertRule, type RuleFields } from '../../src/features/rule/rows.ts'
import { SampleIds } from '../../src/history/sample-ids.ts'
import { MOVER } from '../../src/history/spool/groups.ts'
import { Spool } from '../../src/history/spool/spool.ts'
import { GatewayPresence } from '../../src/identity/gateway-presence.ts'
import type { RuleDefinition } from '../../src/lib/alarm/rule.ts'
import { encodeSample } from '../../src/lib/sample.ts'
import { type UnixMs, unixMs } from '../../src/lib/unix-time.ts'
import { Directory } from '../../src/permission/directory.ts'
import { openWatcher } from '../../src/platform/watcher.ts'
import { insertInstallation } from '../../src/registry/installations.ts'
import { openRegistry } from '../../src/registry/open.ts'
import { insertOrganization } from '../../src/registry/organizations.ts'
import { soleClaims } from '../../src/registry/sqlite/claims.ts'
import type { Registry } from '../../src/registry/tables.ts'
import { inTransaction } from '../../src/registry/transaction.ts'

/** The watcher on a real registry and a real spool, by a clock that the test sets. */
export class WatchedSite {
  now: UnixMs
  readonly dataDir: string
  readonly told: number[] = []
  /** Installations with a gateway. */
  readonly expected: number[] = []
  readonly logged: Record<string, unknown>[] = []
  registry!: Registry
  spool!: Spool
  directory!: Directory
  gateways!: GatewayPresence
  watcher!: Watcher
  #ids!: SampleIds

  static async open(t: TestContext, dataDir: string, now: number): Promise<WatchedSite> {
    const site = new WatchedSite(dataDir, now)
    await site.start()
    t.after(() => site.stop())
    return site
  }

  private constructor(dataDir: string, now: number) {
    this.dataDir = dataDir
    this.now = unixMs(now)
  }

  /** The same directory, as after a kill: nothing that was in memory is written. */
  async start(): Promise<void> {
    const clock = () => this.now
    this.registry = await openRegistry({ url: '', dataDir: this.dataDir })
    this.spool = await Spool.open(this.dataDir)
    this.directory = await Directory.open(this.registry, () => Date.now())
    this.gateways = new GatewayPresence(clock)
    for (const id of this.expected) this.gateways.expect(id)
    const { uuid, lastId } = await this.spool.state()
    this.#ids = new SampleIds(lastId)
    const log = pino(
      { level: 'warn' },
      { write: (line) => void this.logged.push(JSON.parse(line)) }
    )
    this.watcher = await openWatcher({
      ...{ registry: this.registry, spool: this.spool, directory: this.directory },
      ...{ claims: soleClaims, gateways: this.gateways, clock, log, timezone: 'UTC' },
      hasValues: true,
      node: { id: uuid, ids: this.#ids },
      bus: { shared: undefined },
      alarmEvents: { tell: (clientId) => void this.told.push(clientId) }
    })
  }

  async stop(): Promise<void> {
    await this.spool.close()
    await this.registry.destroy()
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  async installation(
    timezone = ''
  ): Promise<{ id: number; client_id: number; organization_id: number }> {
    const made = await inTransaction(this.registry, async (registry) => {
      const organization_id = await insertOrganization(registry, { name: 'o', parent_id: null }, 0)
      const fields = { name: 'i', organization_id, timezone }
      return { id: await insertInstallation(registry, fields, 0), organization_id }
    })
    await this.directory.catchUp()
    return { ...made, client_id: this.directory.installation(made.id)?.client_id ?? 0 }
  }

  /** Answers its id. */
  async rule(
    owner: { kind: 'installation' | 'organization'; id: number },
    definition: Partial<RuleDefinition> & Pick<RuleDefinition, 'on' | 'when'>
  ): Promise<number> {
    const fields: RuleFields = {
      ...{ name: 'r', active: true, severity: 'warning', for: '', hysteresis: 0 },
      ...{ schedule: null, message: '' },
      ...definition
    }
    const made = await insertRule(this.registry, owner, fields, this.now)
    if (typeof made === 'string') throw new Error(made)
    await this.directory.catchUp()
    return made.id
  }

  /** Stores a value that arrives now. */
  async send(
    { id: installation_id, client_id }: { id: number; client_id: number },
    topic: string,
    { timestamp = this.now, value }: { timestamp?: number; value: number }
  ): Promise<void> {
    const id = this.#ids.next(this.now)
    const line = encodeSample({
      ...{ id, installation_id, client_id, topic: `${client_id}/${topic}` },
      ...{ timestamp: unixMs(timestamp), value, msg: '' }
    })
    await this.spool.append(line, id)
  }

  /** Until everything that was stored is judged. */
  async judge(): Promise<void> {
    while (await this.watcher.turn());
    const batch = await this.spool.take(MOVER, { maxSamples: 1e6, maxBytes: 1e9 })
    if (batch) await this.spool.pass(MOVER, batch)
  }

  /** Time passes, as the watcher sees it. */
  async wait(ms: number, stepMs = 10_000): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      this.now = unixMs(this.now + Math.min(left, stepMs))
      await this.judge()
    }
  }

  alarms() {
    return this.registry
      .selectFrom('alarms')
      .selectAll()
      .orderBy('raised_at')
      .orderBy('id')
      .execute()
  }
}
