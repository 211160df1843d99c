import { CaracalError, type Schemas } from '../../../tools/client/client.ts'
import { type PlotSearch, type Range, rangeOf, readPlotSearch } from '../plot/range.ts'
import { board, queryClient } from '../queries.ts'
import { call } from '../session/session.ts'

export type Board = Schemas['Board']
export type BoardPlot = Schemas['BoardPlot']

export const MAX_TITLE_LENGTH = 100

/** What the address of the plot page is for a kept plot. A topic may have the client id. */
export function searchOf({ topics, span, from, to, compare }: BoardPlot): PlotSearch {
  const short = topics.map((topic) => topic.replace(/^\d+\//, ''))
  return readPlotSearch({ topics: short, last: span, from, to, compare: compare === true })
}

export const plotRange = (plot: BoardPlot): Range => rangeOf(searchOf(plot))

export const rangeFields = (range: Range): Pick<BoardPlot, 'span' | 'from' | 'to'> =>
  'last' in range ? { span: range.last } : range

/** Without `updated` the board is replaced, whoever changed it. */
export async function saveBoard(
  installation_id: number,
  plots: readonly BoardPlot[],
  updated?: number
): Promise<void> {
  const saved = await call((caracal) =>
    caracal.put('/api/v2/board/{installation_id}', {
      path: { installation_id },
      body: { plots: [...plots], ...(updated !== undefined && { updated }) }
    })
  )
  queryClient.setQueryData(board(installation_id).queryKey, saved)
}

export const isConflict = (error: unknown): boolean =>
  error instanceof CaracalError && error.status === 409

const TRIES = 3

/** Adds to the board as it is now. If somebody changes it at the same time, it is read again. */
export async function keepOnBoard(installation_id: number, plot: BoardPlot): Promise<void> {
  for (let tries = 1; ; tries++) {
    const known = await queryClient.fetchQuery({ ...board(installation_id), staleTime: 0 })
    try {
      return await saveBoard(installation_id, [...known.plots, plot], known.updated)
    } catch (error) {
      if (!isConflict(error) || tries >= TRIES) throw error
    }
  }
}
