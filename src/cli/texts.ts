import { type Config, Settings } from '../config.ts'
import type { FirstLogin } from '../identity/first-administrator.ts'
import { isEveryAddress } from '../lib/host.ts'
import { postgresPlace } from '../lib/postgres-url.ts'
import { isSecret } from '../lib/setting.ts'
import { VERSION } from '../lib/version.ts'
import type { Platform } from '../platform/platform.ts'

/** The text of `npm start -- --help`. */
export function helpText(commands: readonly string[]): string {
  const settings = Object.entries(Settings.properties).map(([name, schema]) => {
    const fallback = 'default' in schema && schema.default !== '' ? ` [${schema.default}]` : ''
    const file = isSecret(schema) ? ' (or ..._FILE)' : ''
    const description = 'description' in schema ? schema.description : ''
    return `  CARACAL_${name.padEnd(16)} ${description}${file}${fallback}`
  })
  return [
    'Caracal, a self-hosted IoT device platform.',
    '',
    'npm start               start the platform',
    'npm start -- --demo     start with two simulated installations and a year of history',
    'npm start -- --help     this page',
    'npm start -- --version  the version',
    '',
    'Commands for operators, "npm run caracal -- COMMAND" (with --help: more about it):',
    ...commands,
    '',
    'Settings are environment variables:',
    ...settings
  ].join('\n')
}

/** Shows the addresses of the platform and how to sign in. */
export function startBanner(
  config: Config,
  platform: Platform,
  { firstLogin, demo }: { firstLogin: FirstLogin | undefined; demo: FirstLogin | undefined }
): string {
  const { address, mqttPort, mqttsPort, historyEngine } = platform
  const { host, local: api } = address
  const webSocket = `${api.replace(/^http/, 'ws')}/mqtt`
  const tcp = mqttPort === undefined ? '' : `mqtt://${host}:${mqttPort}   `
  return [
    '',
    `  Caracal ${VERSION} is ready`,
    '',
    `  Console      ${api}`,
    `  API          ${api}/api/v2`,
    `  API page     ${api}/docs`,
    ...(config.BUS_URL === ''
      ? [`  MQTT         ${tcp}${webSocket}`]
      : [`  MQTT         ${brokerOf(config.BUS_URL)}:${mqttPort}   (CARACAL_BUS_URL)`]),
    ...(mqttsPort === undefined ? [] : [`               mqtts://${host}:${mqttsPort}`]),
    `  Registry     ${registryPlace(config)}`,
    `  History      ${historyEngine}${serverOf(config.HISTORY_URL)}`,
    `  Data         ${config.DATA_DIR}`,
    ...(isEveryAddress(config.HOST)
      ? [`  Listening    on every address of this machine (CARACAL_HOST=${config.HOST})`]
      : []),
    '',
    ...signInLines(api, firstLogin, demo),
    ''
  ].join('\n')
}

function registryPlace({ REGISTRY_URL: url }: Config): string {
  if (url === '') return 'sqlite'
  const { server, database } = postgresPlace(url)
  return `postgresql ${server}/${database}`
}

/** The server without user and password. */
function serverOf(historyUrl: string): string {
  if (!historyUrl.startsWith('http')) return ''
  const { host, pathname } = new URL(historyUrl)
  return ` ${host}${pathname}`
}

function brokerOf(url: string): string {
  const { protocol, hostname } = new URL(url)
  return `${protocol}//${hostname}`
}

function signInLines(api: string, firstLogin?: FirstLogin, demo?: FirstLogin): string[] {
  const login = demo ?? firstLogin
  const lines: string[] = []
  if (firstLogin) {
    lines.push(`  Sign in      ${firstLogin.email}   ${firstLogin.password}   (shown this once)`)
  }
  if (demo) lines.push(`  Demo user    ${demo.email}   ${demo.password}`)
  const user = login ? `${login.email}:${login.password}` : 'email:password'
  return [...lines, `  Try          curl -u '${user}' -X POST ${api}/api/v2/auth`]
}
