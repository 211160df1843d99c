import type { Logger } from 'pino'
import type { FirstLogin } from './access/first-administrator.ts'
import { type Config, readConfig } from './config.ts'
import { helpText, startBanner } from './console.ts'
import { SECOND } from './lib/unix-time.ts'
import type { Platform } from './platform.ts'

const STOP_LIMIT = 10 * SECOND

/** Reads the settings, starts the platform, and ends it on a signal. */
export async function main(args: readonly string[]): Promise<void> {
  if (args[0] === 'migrate-to') return migrate(args.slice(1))
  if (args[0] === 'adopt') return adopt(args.slice(1))
  const unknown = args.find((arg) => !['--help', '-h', '--demo'].includes(arg))
  if (unknown) return fail(`unknown option ${unknown}; "npm start -- --help" lists them`)
  if (args.includes('--help') || args.includes('-h')) return console.log(helpText())

  // What the platform writes is for its own eyes.
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
    // Loaded only now, so that a wrong setting is answered at once.
    const [{ startPlatform }, log] = await Promise.all([import('./platform.ts'), openLog(config)])
    process.on('uncaughtException', (err) => {
      log.fatal({ err }, 'unexpected fault')
      process.exit(1)
    })
    const platform = await startPlatform(config, {
      log,
      onFirstLogin: (login) => {
        firstLogin = login
      }
    })
    stopOnSignal(platform)
    // Building the demo takes a while, and a crash in between must not lose the password either.
    if (wantsDemo && firstLogin) tellFirstLogin(firstLogin)
    const demo = wantsDemo ? await startDemo(config, platform) : undefined
    // A signal came while the demo was being built; the platform is on its way down.
    if (wantsDemo && !demo) return
    console.log(startBanner(config, platform, { firstLogin, demo }))
  } catch (error) {
    // The password is told nowhere else; a start that failed later must not lose it.
    if (firstLogin) tellFirstLogin(firstLogin)
    fail((error as Error).message)
  }
}

/** `npm run caracal -- migrate-to`, on a data directory that nobody uses. */
async function migrate(args: readonly string[]): Promise<void> {
  try {
    const { readTargets } = await import('./move/targets.ts')
    const targets = readTargets(args)
    const config = readConfig(process.env)
    const { migrateTo } = await import('./move/migrate-to.ts')
    await migrateTo(config, targets, { log: await openLog(config), out: process.stdout })
  } catch (error) {
    fail((error as Error).message)
  }
}

/** `npm run caracal -- adopt`, on a stopped platform. */
async function adopt(args: readonly string[]): Promise<void> {
  if (args.length > 0) return fail(`adopt takes no options, but was given ${args[0]}`)
  try {
    const config = readConfig(process.env)
    const { adopt } = await import('./cli/adopt.ts')
    await adopt(config, { log: await openLog(config), out: process.stdout })
  } catch (error) {
    fail((error as Error).message)
  }
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

/** One clear line, exit code 1. */
function fail(message: string): void {
  console.error(`caracal: ${message}`)
  process.exit(1)
}

/** The first signal drains and ends with 0; another one a second or more later forces. */
function stopOnSignal(platform: Platform): void {
  let stoppingSince: number | undefined
  const onSignal = () => {
    if (stoppingSince !== undefined) {
      if (Date.now() - stoppingSince >= SECOND) fail('stopped by force')
      return
    }
    stoppingSince = Date.now()
    setTimeout(() => fail('did not stop in time'), STOP_LIMIT).unref()
    platform.stop().then(
      () => process.exit(0),
      (error) => fail(`did not stop cleanly (${error.message})`)
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
