import { type Config, readConfig } from '../config.ts'
import type { Status } from '../platform/control/status.ts'
import { askOr } from './ask.ts'
import {
  certificateFindings,
  clockFindings,
  directoryFindings,
  diskFindings,
  type Finding,
  portFindings,
  serverFindings
} from './checks.ts'
import type { Outcome, Program } from './frame.ts'
import { printable } from './printable.ts'

export function addCheck(program: Program): void {
  program.addCommand(
    program.root,
    {
      usage: 'check',
      summary:
        'check settings, data directory, disk, ports, servers, clock and certificate; exit code 1 if something is wrong'
    },
    async ({ env }) => {
      let config: Config
      try {
        config = readConfig(env)
      } catch (error) {
        return shown([{ check: 'settings', ok: false, detail: (error as Error).message }])
      }
      return shown([
        { check: 'settings', ok: true, detail: 'every setting can be used' },
        ...(await findings(config))
      ])
    }
  )
}

/** A check that fails says so, and the others still run. */
async function findings(config: Config): Promise<Finding[]> {
  const failed = (check: string) => (error: Error) => [{ check, ok: false, detail: error.message }]
  let status: Status | undefined
  try {
    const stopped = () => Promise.resolve(undefined)
    status = await askOr<Status | undefined>(config, { path: '/status', body: {}, stopped })
  } catch (error) {
    return failed('platform')(error as Error)
  }
  const found = [
    directoryFindings(config).catch(failed('data directory')),
    diskFindings(config).catch(failed('disk')),
    portFindings(config, status).catch(failed('ports')),
    serverFindings(config, status).catch(failed('servers')),
    clockFindings(config).catch(failed('clock')),
    certificateFindings(config).catch(failed('certificate'))
  ]
  return (await Promise.all(found)).flat()
}

function shown(all: readonly Finding[]): Outcome {
  const wrong = all.filter(({ ok }) => !ok)
  const width = Math.max(...all.map(({ check }) => check.length))
  return {
    result: { ok: wrong.length === 0, checks: all },
    isFine: wrong.length === 0,
    lines: [
      ...all.map(({ check, ok, detail }) =>
        printable(`${ok ? 'ok   ' : 'WRONG'}  ${check.padEnd(width)}  ${detail}`)
      ),
      '',
      wrong.length === 0
        ? 'Nothing is wrong.'
        : `${wrong.length} of ${all.length} checks found something wrong.`
    ]
  }
}
