import { type Output, showProgress } from '../cli/progress.ts'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'
import type { FirstLogin } from '../identity/first-administrator.ts'
import { hashPassword, randomPassword } from '../identity/password.ts'
import { isEveryAddress } from '../lib/host.ts'
import { unixMs } from '../lib/unix-time.ts'
import type { Platform } from '../platform/platform.ts'
import { ensureBoard } from './board.ts'
import { DemoGateway } from './gateway.ts'
import { type DemoDeps, ensureManaged } from './managing.ts'
import { ensureModelx } from './modelx.ts'
import { countSteps, type Past, SPAN_MS, STEP_MS, writePast } from './past.ts'
import { DEMO_EMAIL, type DemoInstallation, ensureDemo, markPastWritten } from './registry.ts'
import { demoSites } from './sites.ts'

/** How long the past is, and where its progress is shown. */
type Writing = { spanMs: number; out: Output }

/**
 * `--demo`: two installations with a year of history, which send values while the platform runs.
 * Answers the login of this start, or undefined when the platform stopped before the demo was
 * built.
 */
export async function runDemo(
  { HOST }: Config,
  platform: Platform,
  writing: Writing = { spanMs: SPAN_MS, out: process.stdout }
): Promise<FirstLogin | undefined> {
  const { deps, mqttPort = 0 } = platform
  const stopping = new AbortController()
  const login = { email: DEMO_EMAIL, password: randomPassword() }
  const building = build(deps, login, { ...writing, signal: stopping.signal })
  platform.onStop(async () => {
    stopping.abort()
    await building.catch(() => {})
  })
  const installations = await building
  if (stopping.signal.aborted) return undefined

  const host = isEveryAddress(HOST) ? '127.0.0.1' : HOST
  const { clock, log } = deps
  for (const { client_id, topics, actuators } of installations) {
    const port = mqttPort
    const parts = { host, port, login, client_id, topics, actuators, clock, log }
    const gateway = new DemoGateway(parts)
    gateway.start()
    platform.onStop(() => gateway.stop())
  }
  return login
}

async function build(
  deps: Deps & DemoDeps,
  login: FirstLogin,
  writing: Writing & { signal: AbortSignal }
): Promise<DemoInstallation[]> {
  const { registry, directory, clock } = deps
  const password_hash = await hashPassword(login.password, login.email)
  const installations = await ensureDemo(registry, demoSites(), { password_hash, now: clock() })
  for (const installation of installations) {
    await ensureModelx(registry, installation, clock())
    await ensureBoard(registry, installation, clock())
    await ensureManaged(deps, installation)
  }
  await directory.catchUp()
  await writeMissingPasts(deps, installations, writing)
  return installations
}

async function writeMissingPasts(
  { registry, history, latest, clock }: Deps,
  installations: readonly DemoInstallation[],
  { spanMs, out, signal }: Writing & { signal: AbortSignal }
): Promise<void> {
  const missing = installations
    .filter(({ hasPast }) => !hasPast)
    .map((installation) => pastOf(installation, spanMs))
  const total = missing.reduce((sum, past) => sum + countSteps(past), 0)
  let done = 0
  const show = showProgress('Writing a year of demo history', out)
  for (const past of missing) {
    const onSteps = (steps: number) => show((done + steps) / total)
    if (!(await writePast(history, past, { signal, onSteps }))) return
    done += countSteps(past)
    await markPastWritten(registry, past.installation.id, clock())
    latest.forget(past.installation.id)
  }
}

/**
 * Depends on the creation time, not on now, so that a start after a crash repeats the same samples.
 */
function pastOf(installation: DemoInstallation, spanMs: number): Past {
  const to = unixMs(Math.floor(installation.created / STEP_MS) * STEP_MS)
  return { installation, topics: installation.topics, from: unixMs(to - spanMs + STEP_MS), to }
}
