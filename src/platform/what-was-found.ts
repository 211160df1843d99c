import { countText } from '../lib/count-text.ts'
import { LastRun } from './last-run.ts'
import type { PartList } from './part.ts'
import type { Parts, Run } from './parts.ts'

export const lastRun: PartList<Parts, keyof Run> = {
  lastRun: {
    open: ({ config, log }) => new LastRun(config.DATA_DIR, log),
    close: (run) => run.close()
  }
}

/** Says how the last run ended, and what the start has found in history. */
export async function tellFound({ lastRun, history, log }: Parts): Promise<void> {
  lastRun.started()
  try {
    const found = await history.files?.contents()
    if (found && found.months > 0) {
      const { months, samples, isEstimated } = found
      const count = `${isEstimated ? 'about ' : ''}${countText(samples)} samples`
      log.info(found, `history ${monthsText(months)}, ${count}`)
    }
    if (found) return
    const { months, bytes } = await history.sizes()
    if (months.length > 0) {
      log.info({ months: months.length, bytes }, `history ${monthsText(months.length)}`)
    }
  } catch (err) {
    log.warn({ err }, 'what is in history could not be counted')
  }
}

const monthsText = (months: number): string => (months === 1 ? '1 month' : `${months} months`)
