import { useSyncExternalStore } from 'react'
import type { Texts } from './texts/texts.ts'

const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function listen(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const one of listeners) one()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time in milliseconds. All ages on a page tick together, once a second. */
export const useNow = (): number => useSyncExternalStore(listen, () => now)

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How old something is, in a few characters. */
export function ageText(seconds: number, { age }: Texts): string {
  if (seconds < -MINUTE) return age.future
  if (seconds < 3) return age.now
  if (seconds < MINUTE) return age.seconds(Math.floor(seconds))
  if (seconds < HOUR) return age.minutes(Math.floor(seconds / MINUTE))
  if (seconds >= DAY) return age.days(Math.floor(seconds / DAY))
  return age.hours(Math.floor(seconds / HOUR), Math.floor((seconds % HOUR) / MINUTE))
}

/** The default of `silent_after` in GET /api/v2/status. */
export const SILENT_AFTER_S = HOUR
