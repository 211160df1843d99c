import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { clearAlarms, insertAlarms, type NewAlarm } from '../../src/features/alarm/alarms.ts'
import { listDeliveries } from '../../src/features/alarm/tell/deliveries.ts'
import { type AlarmSettings, writeSettings } from '../../src/features/alarm/tell/settings.ts'
import { Teller } from '../../src/features/alarm/tell/teller.ts'
import { Identity } from '../../src/identity/identity.ts'
import { networksOf } from '../../src/lib/networks.ts'
import { SECOND, type UnixMs, unixMs } from '../../src/lib/unix-time.ts'
import { Metrics } from '../../src/metrics.ts'
import { Executors } from '../../src/outbound/executors.ts'
import { smtpSender } from '../../src/outbound/mail.ts'
import { smsGateway } from '../../src/outbound/sms.ts'
import { Directory } from '../../src/permission/directory.ts'
import { type InstallationFields, insertInstallation } from '../../src/registry/installations.ts'
import { openRegistry } from '../../src/registry/open.ts'
import { insertOrganization } from '../../src/registry/organizations.ts'
import { insertRole } from '../../src/registry/roles.ts'
import { insertUser, type UserFields } from '../../src/registry/users.ts'
import { startExecutor } from './executor.ts'
import { startMailServer } from './mail-server.ts'
import { startPushService } from './push-service.ts'
import type { RegistryEngine } from './registries.ts'

type Wanted = Partial<AlarmSettings>
type Place = { id: number; organization_id: number }

/** A teller on real engines and services, with a clock that the test sets. */
export async function openTelling(engine: RegistryEngine, begin: UnixMs) {
  const dataDir = mkdtempSync(join(tmpdir(), 'caracal-'))
  const registry = await openRegistry({ url: await engine.url(), dataDir })
  const time = { now: begin }
  const clock = () => time.now
  const directory = await Directory.open(registry)
  const identity = new Identity(registry, directory, clock)
  directory.onIdentityChange((change) => identity.forget(change))
  const [mail, sms, hook, push] = [
    await startMailServer(),
    await startExecutor(),
    await startExecutor(),
    await startPushService()
  ]
  const logged: Record<string, unknown>[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void logged.push(JSON.parse(line)) })
  const top = await insertOrganization(registry, { name: 'Top', parent_id: null }, begin)
  const open = () =>
    new Teller({
      ...{ registry, identity, directory, clock, log, timezone: 'UTC' },
      metrics: new Metrics(),
      claims: { take: async () => true },
      mail: smtpSender(mail.url, 'caracal@example.org'),
      sms: smsGateway(sms.url),
      executors: new Executors(networksOf('127.0.0.1'), clock),
      publicUrl: () => 'https://caracal.example.org',
      contact: () => 'mailto:caracal@example.org'
    })
  let teller = open()
  let count = 0
  return {
    ...{ registry, directory, identity, time, mail, sms, hook, push, logged, top },
    /** A new teller, as after a crash: it knows only what the registry has. */
    restart: () => {
      teller = open()
    },
    async tick() {
      await teller.tick()
      await teller.settled()
    },
    /** Lets time pass in steps of half a second, as the teller ticks. */
    async pass(ms: number, step = SECOND / 2) {
      for (let passed = 0; passed < ms; passed += step) {
        time.now = unixMs(time.now + step)
        await this.tick()
      }
    },
    organization: (parent_id = top) =>
      insertOrganization(registry, { name: `O ${++count}`, parent_id }, begin),
    async installation(fields: Partial<InstallationFields> & { organization_id: number }) {
      const id = await insertInstallation(registry, { name: `I ${++count}`, ...fields }, begin)
      await directory.catchUp()
      return { id, organization_id: fields.organization_id }
    },
    /** A user who may list the alarms of an organization, and asks to be told. */
    async person(
      organization: number,
      settings: Wanted | undefined,
      { grants = ['alarm/list/all'], ...fields }: UserFields & { grants?: string[] } = {}
    ) {
      const email = `user-${++count}@example.org`
      const permissions = Object.fromEntries(grants.map((grant) => [grant, true]))
      const role = { name: `R ${count}`, priority: 100, permissions }
      const role_id = (await insertRole(registry, role)) ?? 0
      const names = { first_name: 'A', last_name: 'B', password_hash: 'x' }
      const user = { email, role_id, ...names, organisations: [organization], ...fields }
      const id = (await insertUser(registry, user, begin)) ?? 0
      await directory.catchUp()
      const person = { id, email, mails: () => mail.mails.filter(({ to }) => to === email) }
      if (settings) await this.wants(person, settings)
      return person
    },
    wants: ({ id }: { id: number }, settings: Wanted) =>
      writeSettings(
        registry,
        id,
        {
          ...{ severities: ['info', 'warning', 'critical'], channels: ['mail'], quiet: null },
          ...{ digest: '', escalate: null, webhook: '', ...settings }
        },
        begin
      ),
    raise: ({ id }: Place, alarms: readonly Partial<NewAlarm>[] = [{}]) =>
      insertAlarms(
        registry,
        alarms.map((alarm) => ({
          ...{ installation_id: id, rule_id: 1, topic: 'obj/t', severity: 'warning' },
          ...{ raised_at: time.now, value: 26.5, message: 'Too warm', isTold: true },
          ...alarm
        }))
      ),
    clear: ({ id }: Place, topics: readonly string[] = ['obj/t'], rule_id = 1) =>
      clearAlarms(
        registry,
        topics.map((topic) => ({
          ...{ installation_id: id, rule_id, topic, cleared_at: time.now }
        }))
      ),
    async deliveries(installation: Place, alarmId: number) {
      const rows = (await listDeliveries(registry, installation.id, alarmId)) ?? []
      return rows.map(({ channel, address, result }) => `${channel} ${address} ${result}`)
    },
    async close() {
      await teller.stop()
      for (const one of [mail, sms, hook, push]) one.stop()
      await registry.destroy()
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
}

export type Telling = Awaited<ReturnType<typeof openTelling>>
