import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { partsOf } from '../backup/plan.ts'
import { findBackup } from '../backup/restore.ts'
import { type Verified, verifyBackup, verifyDataDirectory } from '../backup/verify.ts'
import type { Config } from '../config.ts'
import { type Context, type Outcome, type Program, UsageError } from './frame.ts'
import { printable } from './printable.ts'
import { showProgress } from './progress.ts'
import { readServersOf } from './server-parts.ts'
import { lockStopped } from './stopped.ts'

export function addVerify(program: Program): void {
  program.addCommand(
    program.root,
    {
      usage: 'verify <directory>',
      summary:
        'read all of a backup or of a stopped data directory; exit code 1 if something is wrong'
    },
    async (context, directory: string) => {
      const path = resolve(directory)
      if (!existsSync(path)) throw new UsageError(`there is no directory ${path}`)
      const config = context.config()
      const verified = isDataDirectory(path)
        ? await verifyStopped(path, config, context)
        : await verifyBackup(await findBackup(path), {
            onProgress: showProgress('verify', context.isJson ? context.err : context.out),
            servers: await readServersOf(config)
          })
      return shownFindings(verified)
    }
  )
}

const isDataDirectory = (path: string): boolean =>
  existsSync(join(path, 'spool.sqlite')) && !existsSync(join(path, 'manifest.json'))

async function verifyStopped(path: string, config: Config, context: Context): Promise<Verified> {
  const lock = lockStopped(path)
  try {
    const filesDir = path === config.DATA_DIR ? config.FILES_DIR : join(path, 'files')
    return await verifyDataDirectory(path, {
      ...{ parts: partsOf(config), filesDir },
      onProgress: showProgress('verify', context.isJson ? context.err : context.out),
      servers: await readServersOf(config)
    })
  } finally {
    lock.release()
  }
}

export function shownFindings(verified: Verified): Outcome {
  const { directory, kind, files, samples, faults, findings, notes } = verified
  const more = faults - findings.length
  const lines = [
    ...findings.flatMap(({ file, fault, lost }) => [
      `BROKEN ${file}: ${fault}`,
      ...(lost === undefined ? [] : [`       lost: ${lost}`])
    ]),
    ...(more > 0 ? [`and ${more} more`] : []),
    ...notes.map((note) => `note: ${note}`),
    faults === 0
      ? `the ${kind} ${directory} is whole: ${samples} values, ${files} files`
      : `the ${kind} ${directory} is damaged: ${faults} findings`
  ]
  return { result: verified, lines: lines.map(printable), isFine: faults === 0 }
}
