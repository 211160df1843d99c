import { resolve } from 'node:path'
import { megabytes } from '../platform/control/status.ts'
import type { Exported } from '../site/export.ts'
import { askLong } from './ask-long.ts'
import type { Program } from './frame.ts'
import { printable } from './printable.ts'
import { showProgress } from './progress.ts'
import { countsText, leftBehindLines } from './site-texts.ts'

export function addExport(program: Program): void {
  program.addCommand<[installation: string, file: string]>(
    program.root,
    {
      usage: 'export <installation> <file>',
      summary: 'write an installation with its history and files to one file; by id or name'
    },
    async (context, installation, file) => {
      const { openStoppedSite } = await import('./stopped-site.ts')
      const out = context.isJson ? context.err : context.out
      const exported = await askLong<Exported>(context.config(), {
        ...{ path: '/site/export', body: { installation, file: resolve(file) } },
        ...{ onProgress: showProgress('export', out), open: openStoppedSite }
      })
      const { installation_id, name, counts, bytes, executors, left_behind } = exported
      return {
        result: exported,
        lines: [
          printable(`exported installation ${installation_id}, ${name}, to ${exported.file}`),
          `${countsText(counts)}; ${megabytes(bytes)}`,
          ...(executors.length > 0
            ? [
                printable(
                  `before the import, the new organization needs notification executors with these names: ${executors.join(', ')}`
                )
              ]
            : []),
          ...leftBehindLines(left_behind)
        ]
      }
    }
  )
}
