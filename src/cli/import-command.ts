import { resolve } from 'node:path'
import type { Imported } from '../site/import.ts'
import { askLong } from './ask-long.ts'
import type { Program } from './frame.ts'
import { printable } from './printable.ts'
import { showProgress } from './progress.ts'
import { countsText, leftBehindLines } from './site-texts.ts'
import { wholeNumber } from './user-commands.ts'

type Options = { organization?: number; name?: string; withQuotas?: boolean }

export function addImport(program: Program): void {
  program
    .addCommand<[file: string, Options]>(
      program.root,
      {
        usage: 'import <file>',
        summary: 'make an installation from a file of "export", with new ids; all of it or nothing'
      },
      async (context, file, { organization, name, withQuotas: quotas }) => {
        const { openStoppedSite } = await import('./stopped-site.ts')
        const out = context.isJson ? context.err : context.out
        const imported = await askLong<Imported>(context.config(), {
          ...{ path: '/site/import', body: { file: resolve(file), organization, name, quotas } },
          ...{ onProgress: showProgress('import', out), open: openStoppedSite }
        })
        const { id, client_id, organization_id, counts, outside, left_behind } = imported
        return {
          result: imported,
          lines: [
            printable(
              `imported installation ${id}, ${imported.name}, with the client id ${client_id}, into organization ${organization_id}`
            ),
            countsText(counts),
            ...(outside.count > 0
              ? [
                  `${outside.count} references to other places were left as they are:`,
                  ...outside.names.map((one) => printable(`  ${one}`))
                ]
              : []),
            ...leftBehindLines(left_behind)
          ]
        }
      }
    )
    .option(
      '--organization <id>',
      'organization of the installation; without it the first one',
      wholeNumber
    )
    .option('--name <name>', 'name of the installation; without it the one in the file')
    .option('--with-quotas', 'take over the own quotas of the installation')
}
