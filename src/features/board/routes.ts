import type { Static } from 'typebox'
import type { Routes } from '../../deps.ts'
import { InstallationParams } from '../../http/schema.ts'
import { updates } from '../../http/traced.ts'
import { fromSeconds, toSeconds } from '../../lib/unix-time.ts'
import { onInstallation } from '../../permission/guard.ts'
import { readBoard, writeBoard } from './boards.ts'
import { checkPlot } from './plot-check.ts'
import { Board, BoardUpdate } from './schema.ts'

/** The plots that people keep on the first page of an installation. [ADR-0044] */
export const boardRoutes: Routes = (app, { registry, clock }) => {
  const tags = ['Board']
  const params = InstallationParams

  app.get(
    '/:installation_id',
    {
      schema: {
        tags,
        operationId: 'getBoard',
        summary: 'The board of an installation; it is empty if nobody made one',
        params,
        response: { 200: Board }
      },
      config: { access: onInstallation('installation/list') }
    },
    async ({ installation: { id } }) => shown(id, await readBoard(registry, id))
  )

  app.put(
    '/:installation_id',
    {
      schema: {
        tags,
        operationId: 'updateBoard',
        summary: 'Replace the board of an installation',
        params,
        body: BoardUpdate,
        faults: [409],
        response: { 200: Board }
      },
      config: {
        access: onInstallation('installation/update'),
        trace: updates('installation', 'installation_id', 'changed the board of')
      }
    },
    async ({ installation: { id }, body }) => {
      body.plots.forEach(checkPlot)
      const seen = typeof body.updated === 'number' ? fromSeconds(body.updated) : undefined
      return shown(id, await writeBoard(registry, id, body.plots, { seen, now: clock() }))
    }
  )
}

const shown = (
  installation_id: number,
  { plots, updated }: Awaited<ReturnType<typeof readBoard>>
): Static<typeof Board> => ({ installation_id, plots, updated: toSeconds(updated) })
