import pino from 'pino'
import { adopt } from '../../src/cli/adopt.ts'
import { startBanner } from '../../src/cli/texts.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { runDemo } from '../../src/demo/demo.ts'
import type { FirstLogin } from '../../src/identity/first-administrator.ts'
import { startPlatform } from '../../src/platform/platform.ts'
import { type Caracal, runCaracal, startCaracal } from './process.ts'

/** The program, for a test that does not kill it. */
export type Program = Omit<Caracal, 'child' | 'kill'> & {
  /** Ends the program like SIGTERM; returns its exit code. */
  stop: () => Promise<number | null>
}

type Env = Record<string, string>
type Run = (env: Env, args?: readonly string[]) => ReturnType<typeof runCaracal>

/**
 * The program as test/support/process.ts starts it. Without CI=true it runs in the process of the
 * test, because a new process takes three times as long to start.
 */
export const startProgram: (env: Env) => Promise<Program> = process.env['CI']
  ? startProcess
  : startHere

/** The program with `--demo`. Without CI=true its past is shorter than a year. */
export const startDemo = (env: Env, { shortMs }: { shortMs: number }): Promise<Program> =>
  process.env['CI'] ? startProcess(env, ['--demo']) : startHere(env, shortMs)

/** Runs the program when it should end by itself: a start that is refused, or `adopt`. */
export const runProgram: Run = process.env['CI'] ? runCaracal : runHere

async function startProcess(env: Env, args: readonly string[] = []): Promise<Program> {
  const { url, mqttPort, printed, kill } = await startCaracal(env, args)
  return { url, mqttPort, printed, stop: () => kill('SIGTERM') }
}

/** Does what src/main.ts does. */
async function startHere(env: Env, pastOfDemoMs = 0): Promise<Program> {
  process.umask(0o077)
  const config = readHere(env)
  const [out, err] = [written(), written()]
  let firstLogin: FirstLogin | undefined
  const onFirstLogin = (login: FirstLogin) => {
    firstLogin = login
  }
  const platform = await startPlatform(config, { log: logHere(config, err), onFirstLogin })
  const writing = { spanMs: pastOfDemoMs, out }
  const demo = pastOfDemoMs > 0 ? await runDemo(config, platform, writing) : undefined
  out.write(startBanner(config, platform, { firstLogin, demo }))
  const stop = async () => {
    await platform.stop()
    return 0
  }
  const { mqttPort = 0, address } = platform
  return { url: address.local, mqttPort, printed: () => out.text() + err.text(), stop }
}

async function runHere(env: Env, args: readonly string[] = []) {
  const [out, err] = [written(), written()]
  const result = (code: number) => ({ code, out: out.text(), err: err.text() })
  try {
    if (args[0] === 'adopt') {
      const config = readHere(env)
      await adopt(config, { log: logHere(config, err), out })
    } else {
      await (await startHere(env)).stop()
    }
    return result(0)
  } catch (error) {
    err.write(`caracal: ${(error as Error).message}\n`)
    return result(1)
  }
}

const readHere = (env: Env) =>
  readConfig({ CARACAL_HTTP_PORT: '0', CARACAL_MQTT_PORT: '0', ...env })

const logHere = ({ LOG_LEVEL: level }: Config, to: Written) => pino({ level, base: undefined }, to)

type Written = ReturnType<typeof written>

/** Keeps what is written to it. */
function written() {
  let text = ''
  const write = (more: string) => {
    text += more
  }
  return { write, text: () => text }
}
