import type { Logger } from 'pino'
import type { Terminal } from './cli/frame.ts'
import { helpText, startBanner } from './cli/texts.ts'
import { type Config, readConfig } from './config.ts'
import type { FirstLogin } from './identity/first-administrator.ts'
import { giveBackAtRest } from './lib/give-back.ts'
import { SECOND } from './lib/unix-time.ts'
import { VERSION } from './lib/version.ts'
import type { Platform } from './platform/platform.ts'

const STOP_TIMEOUT_MS = 10 * SECOND

const terminal: Terminal = {
  env: process.env,
  stdin: process.stdin,
  out: process.stdout,
  err: process.stderr,
  openLog
}

/** Reads the settings, starts the platform, and stops it on a signal. */
export async function main(args: readonly string[]): Promise<void> {
  if (args[0] !== undefined && !args[0].startsWith('-')) return runCommand(args)
  const unknown = args.find((arg) => !['--help', '-h', '--version', '--demo'].includes(arg))
  if (unknown) return fail(`unknown option ${unknown}; "npm start -- --help" lists them`)
  if (args.includes('--help') || args.includes('-h')) return showHelp()
  if (args.includes('--version')) return console.log(`caracal ${VERSION}`)

  // Only this user may read the files that the platform writes.
  process.umask(0o077)
  let firstLogin: FirstLogin | undefined
  try {
    const config = readConfig(process.env)
    const wantsDemo = args.includes('--demo')
    if (wantsDemo && config.BUS_URL !== '') {
      return fail('--demo needs the embedded broker, without CARACAL_BUS_URL')
    }
    if (wantsDemo && config.MQTT_PORT === 'off') {
      return fail('--demo publishes over TCP: CARACAL_MQTT_PORT must not be off')
    }
    // Loaded only now, so that a wrong setting is reported at once.
    const [{ startPlatform }, log] = await Promise.all([
      import('./platform/platform.ts'),
      openLog(config)
    ])
    process.on('uncaughtException', (err) => {
      log.fatal({ err }, 'unexpected error')
      process.exit(1)
    })
    const platform = await startPlatform(config, {
      log,
      onFirstLogin: (login) => {
        firstLogin = login
      }
    })
    stopOnSignal(platform, STOP_TIMEOUT_MS + config.DRAIN_SECONDS * SECOND)
    // Building the demo takes a while. A crash in between must not lose the password.
    if (wantsDemo && firstLogin) tellFirstLogin(firstLogin)
    const demo = wantsDemo ? await startDemo(config, platform) : undefined
    // A signal came while the demo was built: the platform is stopping.
    if (wantsDemo && !demo) return
    const { metrics } = platform.deps
    const giveBack = giveBackAtRest(() => {
      const { stored, refused, requests } = metrics.totals
      return stored + refused + requests
    })
    // What the start needed. Nobody waits for an answer yet.
    await giveBack.collect().catch(() => {})
    console.log(startBanner(config, platform, { firstLogin, demo }))
  } catch (error) {
    // The password is shown nowhere else, so a failed start must not lose it.
    if (firstLogin) tellFirstLogin(firstLogin)
    fail((error as Error).message)
  }
}

/** `npm run caracal -- COMMAND`. */
async function runCommand(args: readonly string[]): Promise<void> {
  process.umask(0o077)
  const { createProgram } = await import('./cli/commands.ts')
  process.exitCode = await createProgram(terminal).run(args)
}

async function showHelp(): Promise<void> {
  const { createProgram } = await import('./cli/commands.ts')
  console.log(helpText(createProgram(terminal).summary()))
}

async function openLog(config: Config): Promise<Logger> {
  const { pino } = await import('pino')
  return pino({ level: config.LOG_LEVEL, base: undefined }, pino.destination(2))
}

function tellFirstLogin({ email, password }: FirstLogin): void {
  console.log(`first administrator: ${email} ${password}`)
}

async function startDemo(config: Config, platform: Platform): Promise<FirstLogin | undefined> {
  const { runDemo } = await import('./demo/demo.ts')
  return runDemo(config, platform)
}

/** Prints one clear line and exits with code 1. */
function fail(message: string): void {
  console.error(`caracal: ${message}`)
  process.exit(1)
}

/**
 * The first signal stops the platform cleanly. Another one, a second or more later, stops it by
 * force.
 */
function stopOnSignal(platform: Platform, timeoutMs: number): void {
  let stoppingSince: number | undefined
  const onSignal = () => {
    if (stoppingSince !== undefined) {
      if (Date.now() - stoppingSince >= SECOND) fail('stopped by force')
      return
    }
    stoppingSince = Date.now()
    setTimeout(() => fail('did not stop in time'), timeoutMs).unref()
    platform.stop().then(
      () => process.exit(0),
      (error) => fail(`did not stop cleanly (${error.message})`)
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
