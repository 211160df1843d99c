import { resolve } from 'node:path'
import { findBackup, requireEmpty, restoreBackup } from '../backup/restore.ts'
import { verifyBackup } from '../backup/verify.ts'
import { megabytes } from '../platform/control/status.ts'
import { type Program, UsageError } from './frame.ts'
import { printable } from './printable.ts'
import { showProgress } from './progress.ts'
import { shownFindings } from './verify-command.ts'

export function addRestore(program: Program): void {
  program
    .addCommand(
      program.root,
      {
        usage: 'restore <directory>',
        summary: 'verify a backup, or the newest one of a folder, and make a data directory of it'
      },
      async (context, directory: string, { to }: { to?: string }) => {
        if (to === undefined) throw new UsageError('--to must name the data directory to make')
        const dataDir = resolve(to)
        requireEmpty(dataDir)
        const backup = await findBackup(resolve(directory))
        const out = context.isJson ? context.err : context.out
        out.write(`  from ${printable(backup)}\n`)
        const verified = await verifyBackup(backup, {
          onProgress: showProgress('verify', out),
          servers: {}
        })
        if (verified.faults > 0) {
          const outcome = shownFindings(verified)
          return { ...outcome, lines: [...outcome.lines, `nothing was restored to ${dataDir}`] }
        }
        const { files, bytes } = await restoreBackup(backup, dataDir, showProgress('restore', out))
        const { started, samples, notes } = verified
        const lines = [
          ...notes.map((note) => `note: ${note}`),
          `restored ${samples} values and ${files} files (${megabytes(bytes)}) of ${started} to ${dataDir}`,
          `start it with CARACAL_DATA_DIR=${dataDir}; uploaded files are in its directory files`
        ]
        return {
          result: { backup, data_dir: dataDir, started, samples, files, bytes, notes },
          lines: lines.map(printable)
        }
      }
    )
    .option('--to <data directory>', 'a directory that is empty or not there yet')
}
