import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Config, ConfigError } from '../config.ts'
import { isDatabaseUrl } from '../lib/host.ts'

/** The servers to move to; at least one of them is given. */
export type Targets = {
  registry: string | undefined
  history: string | undefined
  /** As in HISTORY_CLUSTER. */
  cluster: string
}

export const usage =
  'migrate-to [--registry postgres://... | --registry-file FILE] [--history http(s)://.../database | --history-file FILE [--history-cluster name]]'

const options = {
  registry: { type: 'string' },
  'registry-file': { type: 'string' },
  history: { type: 'string' },
  'history-file': { type: 'string' },
  'history-cluster': { type: 'string' }
} as const

/** `--registry-file` and `--history-file` keep passwords out of the process list. */
export function readTargets(args: readonly string[]): Targets {
  const given = parse(args)
  const registry = urlOf(given, 'registry', ['postgres://', 'postgresql://'])
  const history = urlOf(given, 'history', ['http://', 'https://'])
  if (!registry && !history) throw new ConfigError(`nothing to move to: ${usage}`)
  if (history && !isDatabaseUrl(history)) {
    throw new ConfigError('--history: must end with /database, a name of letters, digits and _')
  }
  const cluster = given['history-cluster'] ?? ''
  if (cluster !== '' && (!history || !/^[\w.-]+$/.test(cluster))) {
    throw new ConfigError('--history-cluster: must be the name of a cluster of --history')
  }
  return { registry, history, cluster }
}

/** Data on a server cannot be moved. */
export function refuseWhatHasMoved(config: Config, { registry, history }: Targets): void {
  const refuse = (key: string) => {
    throw new ConfigError(
      `CARACAL_${key} names a server: migrate-to moves what is in CARACAL_DATA_DIR`
    )
  }
  if (registry && config.REGISTRY_URL !== '') refuse('REGISTRY_URL')
  if (history && /^https?:/.test(config.HISTORY_URL)) refuse('HISTORY_URL')
}

/** The URL without user and password, to show it and to compare it later. */
export function serverName(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}

type Given = { [name in keyof typeof options]?: string }

function parse(args: readonly string[]): Given {
  try {
    return parseArgs({ args: [...args], options, strict: true }).values
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split('. ')
    throw new ConfigError(`${sentence}: ${usage}`)
  }
}

function urlOf(
  given: Given,
  name: 'registry' | 'history',
  schemes: readonly string[]
): string | undefined {
  const [direct, file] = [given[name], given[`${name}-file`]]
  if (direct !== undefined && file !== undefined) {
    throw new ConfigError(`--${name} is given twice`)
  }
  const url = file === undefined ? direct : readUrl(name, file)
  if (url === undefined) return undefined
  if (!schemes.some((scheme) => url.startsWith(scheme)) || !URL.canParse(url)) {
    throw new ConfigError(`--${name}: must be a URL that begins with ${schemes.join(' or ')}`)
  }
  return url
}

function readUrl(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new ConfigError(`--${name}-file: cannot read ${path} (${(error as Error).message})`)
  }
}
