import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { subscribe } from '../live/connection.ts'
import { readValue } from '../live/values.ts'
import { installations } from '../queries.ts'
import { Store, useStore } from '../store.ts'
import type { Sample } from './lines.ts'

/** Older ones are dropped; the next look at the log has them. */
const MAX_SAMPLES_PER_TOPIC = 2000

export type LiveSamples = ReadonlyMap<string, readonly Sample[]>
const none: LiveSamples = new Map()

/** The samples of full topics that arrived while the page was open; none without a time to tell. */
export function useLiveSamples(
  id: number,
  topics: readonly string[],
  tellAfterMs: number | undefined
): LiveSamples {
  const clientId = useQuery(installations).data?.find((one) => one.id === id)?.client_id
  const [store] = useState(() => new Store(none))
  const wanted = topics.join('\n')
  useEffect(() => {
    if (clientId === undefined || tellAfterMs === undefined) return
    const samples = new Map<string, Sample[]>(wanted.split('\n').map((topic) => [topic, []]))
    store.set(samples)
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = subscribe(`${clientId}/obj/#`, (topic, payload) => {
      const list = samples.get(topic)
      const value = list && readValue(payload, Date.now())
      if (!value) return
      list.push({ time: value.timestamp, value: value.value })
      if (list.length > MAX_SAMPLES_PER_TOPIC) list.splice(0, MAX_SAMPLES_PER_TOPIC / 2)
      timer ??= setTimeout(() => {
        timer = undefined
        store.set(new Map(samples))
      }, tellAfterMs)
    })
    return () => {
      clearTimeout(timer)
      stop()
      store.set(none)
    }
  }, [clientId, wanted, tellAfterMs, store])
  return useStore(store)
}
