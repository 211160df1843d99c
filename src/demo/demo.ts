import type { FirstLogin } from '../access/first-administrator.ts'
import { hashPassword, randomPassword } from '../access/password.ts'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'
import { isEveryAddress } from '../lib/host.ts'
import { unixMs } from '../lib/unix-time.ts'
import type { Platform } from '../platform.ts'
import { showProgress } from '../progress.ts'
import { DemoGateway } from './gateway.ts'
import { ensureObjects } from './objects.ts'
import { countSteps, type Past, SPAN, STEP, samplesAt, writePast } from './past.ts'
import { DEMO_EMAIL, type DemoInstallation, ensureDemo, markPastWritten } from './registry.ts'
import { demoSites } from './sites.ts'

/**
 * `--demo`: two installations with a year behind them, alive as long as the platform. Answers the
 * sign-in of this start, or undefined when the platform was told to stop before all was there.
 */
export async function runDemo(
  { HOST }: Config,
  platform: Platform
): Promise<FirstLogin | undefined> {
  const { deps, mqttPort = 0 } = platform
  const stopping = new AbortController()
  const login = { email: DEMO_EMAIL, password: randomPassword() }
  const building = build(deps, login, stopping.signal)
  platform.onStop(async () => {
    stopping.abort()
    await building.catch(() => {})
  })
  const installations = await building
  if (stopping.signal.aborted) return undefined

  const host = isEveryAddress(HOST) ? '127.0.0.1' : HOST
  const { clock, log } = deps
  for (const { topics } of installations) {
    const gateway = new DemoGateway({ host, port: mqttPort, login, topics, clock, log })
    gateway.start()
    platform.onStop(() => gateway.stop())
  }
  return login
}

async function build(
  deps: Deps,
  login: FirstLogin,
  signal: AbortSignal
): Promise<DemoInstallation[]> {
  const { registry, directory, clock } = deps
  const password_hash = await hashPassword(login.password, login.email)
  const installations = await ensureDemo(registry, demoSites(), { password_hash, now: clock() })
  for (const installation of installations) {
    await ensureObjects(registry, installation, clock())
  }
  await directory.catchUp()
  await writeMissingPasts(deps, installations, signal)
  return installations
}

async function writeMissingPasts(
  { registry, history, latest, clock }: Deps,
  installations: readonly DemoInstallation[],
  signal: AbortSignal
): Promise<void> {
  const missing = installations.filter(({ hasPast }) => !hasPast).map(pastOf)
  const total = missing.reduce((sum, past) => sum + countSteps(past), 0)
  let done = 0
  const show = showProgress('Writing a year of demo history', process.stdout)
  for (const past of missing) {
    const onSteps = (steps: number) => show((done + steps) / total)
    if (!(await writePast(history, past, { signal, onSteps }))) return
    done += countSteps(past)
    await markPastWritten(registry, past.installation.id, clock())
    for (const sample of samplesAt(past, past.to)) latest.put(sample)
  }
}

/** Hangs on the creation, not on now, so that a start after a crash goes on with the same samples. */
function pastOf(installation: DemoInstallation): Past {
  const to = unixMs(Math.floor(installation.created / STEP) * STEP)
  return { installation, topics: installation.topics, from: unixMs(to - SPAN + STEP), to }
}
