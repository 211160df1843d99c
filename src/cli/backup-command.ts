import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Backup } from '../backup/make.ts'
import { planOf } from '../backup/plan.ts'
import type { Config } from '../config.ts'
import { systemClock } from '../lib/clock.ts'
import { SECOND } from '../lib/unix-time.ts'
import { megabytes } from '../platform/control/status.ts'
import { follow, runningOr } from './ask.ts'
import { type Outcome, type Program, UsageError } from './frame.ts'
import { printable } from './printable.ts'
import { showProgress } from './progress.ts'
import { lockStopped } from './stopped.ts'

const MAX_KEEP = 10_000

export function addBackup(program: Program): void {
  program
    .addCommand(
      program.root,
      {
        usage: 'backup <directory>',
        summary: 'make a backup in a folder of backups, also while the platform runs'
      },
      async (context, directory: string, { keep }: { keep?: string }) => {
        const config = context.config()
        const wish = { directory: resolve(directory), keep: numberOf(keep) }
        const onProgress = showProgress('backup', context.isJson ? context.err : context.out)
        const began = performance.now()
        const backup = await runningOr<Backup>(
          config.DATA_DIR,
          (socketPath) => follow(socketPath, { path: '/backup', body: wish, onProgress }),
          () => backupStopped(config, wish, onProgress)
        )
        const plan = planOf(config, { ...wish, started: 0 })
        return shown(backup, plan, (performance.now() - began) / SECOND)
      }
    )
    .option('--keep <number>', 'remove older backups of the folder beyond this number')
}

type Wish = { directory: string; keep: number | undefined }

async function backupStopped(
  config: Config,
  wish: Wish,
  onProgress: (done: number) => void
): Promise<Backup> {
  const { DATA_DIR } = config
  if (!existsSync(join(DATA_DIR, 'spool.sqlite'))) {
    throw new Error(
      `CARACAL_DATA_DIR ${DATA_DIR} holds no platform: start Caracal once, or set the directory`
    )
  }
  const lock = lockStopped(DATA_DIR)
  try {
    const { makeBackup } = await import('../backup/make.ts')
    const { madeOf, writeLast } = await import('../backup/last.ts')
    const backup = await makeBackup({
      plan: planOf(config, { ...wish, started: systemClock() }),
      hold: (work) => work(),
      holdFiles: () => () => {},
      readServers: async () => ({}),
      onProgress,
      signal: new AbortController().signal
    })
    const made = madeOf(join(wish.directory, backup.name), backup)
    writeLast(DATA_DIR, { made, failed: null })
    return backup
  } finally {
    lock.release()
  }
}

function shown(
  backup: Backup,
  { directory, elsewhere }: ReturnType<typeof planOf>,
  seconds: number
): Outcome {
  const { name, bytes, new_bytes, files, samples, missing, removed } = backup
  const lines = [
    `backup ${join(directory, name)}: ${samples} values, ${files} files, ${megabytes(bytes)} (${megabytes(new_bytes)} of them new), in ${seconds.toFixed(1)} s`,
    ...removed.map((old) => `removed ${join(directory, old)}`),
    ...elsewhere.map(
      ({ part, place }) =>
        `NOT in this backup: the ${part}, which is in ${place}; docs/operate/backup.md says how to back it up`
    ),
    ...missing.map((path) => `MISSING in the platform, so the backup lacks it too: ${path}`)
  ]
  return {
    result: { ...backup, directory, elsewhere },
    lines: lines.map(printable),
    isFine: missing.length === 0
  }
}

function numberOf(keep: string | undefined): number | undefined {
  if (keep === undefined) return undefined
  const number = Number(keep)
  if (!/^\d+$/.test(keep) || number < 1 || number > MAX_KEEP)
    throw new UsageError(`--keep must be a whole number from 1 to ${MAX_KEEP}`)
  return number
}
