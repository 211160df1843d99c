import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { readConfig } from '../../src/config.ts'
import { issueToken } from '../../src/identity/tokens.ts'
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import { type Platform, startPlatform } from '../../src/platform/platform.ts'
import { putNewRegistry } from './new-registry.ts'
import { World } from './world.ts'

export type TestPlatform = Platform & {
  mqttPort: number
  url: string
  world: World
  /** The log lines of the platform, as objects. */
  logged: Record<string, unknown>[]
  dataDir: string
}

export const ADMIN = { email: 'admin@example.org', password: 'correct horse battery' }

type Options = { registryUrl?: string; clock?: Clock; settings?: Record<string, string> }

/** The whole platform with real engines on free ports. `stop` removes its directory. */
export async function startTestPlatform(options: Options = {}): Promise<TestPlatform> {
  const { registryUrl = '', clock = systemClock, settings = {} } = options
  const dataDir = settings['CARACAL_DATA_DIR'] ?? mkdtempSync(join(tmpdir(), 'caracal-'))
  const config = readConfig({
    CARACAL_DATA_DIR: dataDir,
    CARACAL_HTTP_PORT: '0',
    CARACAL_MQTT_PORT: '0',
    CARACAL_REGISTRY_URL: registryUrl,
    CARACAL_ADMIN_EMAIL: ADMIN.email,
    CARACAL_ADMIN_PASSWORD: ADMIN.password,
    CARACAL_DISK_RESERVE_MB: '1',
    ...settings
  })
  // A clock of its own may be in another year, and a directory that is kept has a registry.
  if (
    registryUrl === '' &&
    clock === systemClock &&
    !settings['CARACAL_DATA_DIR'] &&
    config.ADMIN_EMAIL === ADMIN.email &&
    config.ADMIN_PASSWORD === ADMIN.password
  )
    await putNewRegistry(dataDir, ADMIN)
  const logged: Record<string, unknown>[] = []
  const log = pino(
    { level: config.LOG_LEVEL },
    { write: (line) => void logged.push(JSON.parse(line)) }
  )
  const platform = await startPlatform(config, { log, clock })
  const { registry } = platform.deps
  const admin = await registry
    .selectFrom('users')
    .select('id')
    .orderBy('id')
    .executeTakeFirstOrThrow()
  const token = await issueToken(registry, admin.id, clock())
  const scheme = settings['CARACAL_TLS_CERT_PATH'] ? 'https' : 'http'
  const url = `${scheme}://127.0.0.1:${platform.httpPort}`
  const world = new World({ platform, url, admin: { id: admin.id, token }, clock })
  const stop = async () => {
    world.close()
    await platform.stop()
    if (!settings['CARACAL_DATA_DIR']) rmSync(dataDir, { recursive: true, force: true })
  }
  const { mqttPort = 0 } = platform
  return { ...platform, mqttPort, url, world, logged, dataDir, stop }
}
