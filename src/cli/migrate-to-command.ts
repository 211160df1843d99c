import { usage } from '../move/targets.ts'
import type { Program } from './frame.ts'

export function addMigrateTo(program: Program): void {
  program
    .addCommand(
      program.root,
      {
        usage: 'migrate-to',
        summary: 'copy a stopped CARACAL_DATA_DIR to PostgreSQL, ClickHouse or both'
      },
      async ({ config: read, openLog, args, isJson, out, err }) => {
        const { readTargets } = await import('../move/targets.ts')
        const targets = readTargets(args.filter((arg) => arg !== '--json'))
        const config = read()
        const { migrateTo } = await import('../move/migrate-to.ts')
        const log = await openLog(config)
        const to = { log, out: isJson ? err : out }
        return { result: await migrateTo(config, targets, to), lines: [] }
      }
    )
    // The targets are read where they are checked.
    .usage(`${usage.replace('migrate-to ', '')} [--json]`)
    .allowUnknownOption()
    .allowExcessArguments()
}
