import type { Static } from 'typebox'
import type { Routes } from '../../deps.ts'
import { badRequest } from '../../http/errors.ts'
import { InstallationParams } from '../../http/schema.ts'
import { updates } from '../../http/traced.ts'
import { isTopicName, isWithinTopicLimits } from '../../lib/topic.ts'
import { fromSeconds, toSeconds } from '../../lib/unix-time.ts'
import { onInstallation } from '../../permission/guard.ts'
import { readBoard, writeBoard } from './boards.ts'
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
      body.plots.forEach(check)
      const seen = typeof body.updated === 'number' ? fromSeconds(body.updated) : undefined
      return shown(id, await writeBoard(registry, id, body.plots, { seen, now: clock() }))
    }
  )
}

const shown = (
  installation_id: number,
  { plots, updated }: Awaited<ReturnType<typeof readBoard>>
): Static<typeof Board> => ({ installation_id, plots, updated: toSeconds(updated) })

function check({ topics, span, from, to }: Static<typeof Board>['plots'][number], i: number): void {
  const isWindow = from !== undefined && to !== undefined && from < to
  const isBoth = span !== undefined && (from !== undefined || to !== undefined)
  if (isBoth || (span === undefined && !isWindow)) {
    throw badRequest(`plots/${i} must have span, or from and a later to`)
  }
  const at = topics.findIndex((topic) => !isTopicName(topic) || !isWithinTopicLimits(topic))
  if (at >= 0) throw badRequest(`plots/${i}/topics/${at} must be an MQTT topic without wildcards`)
}
