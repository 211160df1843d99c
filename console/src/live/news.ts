import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { alarmsKey } from '../alarm/api.ts'
import {
  devices,
  functions,
  installationRecord,
  installations,
  queryClient,
  rights,
  status
} from '../queries.ts'
import { subscribe, useConnection } from './connection.ts'

/** A burst of changes is read once, and no list more often than this. */
const FIRST_READ_MS = 200
const NEXT_READ_MS = 2000
/** Who cannot listen looks from time to time. */
const LOOK_MS = 30_000

const kinds = ['functionx', 'devicex', 'installation', 'alarm'] as const
type Kind = (typeof kinds)[number]
const isKind = (word: string | undefined): word is Kind => kinds.some((kind) => kind === word)

function readAgain(id: number, changed: Iterable<Kind>): void {
  const lists = {
    functionx: [functions(id).queryKey],
    devicex: [devices(id).queryKey],
    alarm: [alarmsKey],
    installation: [installations.queryKey, installationRecord(id).queryKey, rights(id).queryKey]
  }
  for (const kind of changed) {
    for (const queryKey of lists[kind]) void queryClient.invalidateQueries({ queryKey })
  }
}

/** [contract: Events] What others change on the installation is read again. */
export function useNews(id: number, clientId: number | undefined): void {
  const { state } = useConnection()
  const mayHear = useQuery(rights(id)).data?.['mqtt/subscribe'] === true
  useEffect(() => {
    if (clientId === undefined) return
    const changed = new Set<Kind>()
    let timer: ReturnType<typeof setTimeout> | undefined
    let lastRead = 0
    const read = () => {
      timer = undefined
      lastRead = Date.now()
      readAgain(id, changed)
      changed.clear()
    }
    const stop = subscribe(`${clientId}/evt/#`, (topic) => {
      const kind = topic.split('/')[2]
      if (!isKind(kind)) return
      changed.add(kind)
      timer ??= setTimeout(read, Math.max(FIRST_READ_MS, lastRead + NEXT_READ_MS - Date.now()))
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [id, clientId])
  const before = useRef(state)
  useEffect(() => {
    // What was announced before the connection, or during a pause, was not heard.
    if (state === 'live' && before.current !== 'live') {
      readAgain(id, kinds)
      const { queryKey } = status(id)
      void queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false })
    }
    before.current = state
  }, [state, id])
  const hears = state === 'live' && mayHear
  useEffect(() => {
    if (hears) return
    const timer = setInterval(() => readAgain(id, kinds), LOOK_MS)
    return () => clearInterval(timer)
  }, [hears, id])
}
