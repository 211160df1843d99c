import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { type Row, rowsOf } from '../live/shown.ts'
import { functions, installations } from '../queries.ts'
import { shortTopic } from './form.ts'

/** What a schedule sends to: the functions of the installation by the topics of their commands. */
export function useTargets(id: number) {
  const clientId = useQuery(installations).data?.find((one) => one.id === id)?.client_id ?? 0
  const known = useQuery(functions(id)).data
  const byTopic = useMemo(() => {
    const read = (known ?? []).flatMap(({ meta }) => meta.topic_read || [])
    const full = read.map((topic) => `${clientId}/${shortTopic(topic, clientId)}`)
    const all = rowsOf([...new Set(full)], known ?? [], clientId)
    const readable = all.map((row) => [row.short, row] as const)
    const written = all.flatMap((row) =>
      row.write === undefined ? [] : [[shortTopic(row.write, clientId), row] as const]
    )
    return new Map<string, Row>([...readable, ...written])
  }, [known, clientId])
  /** The topics to choose from, those of commands first. */
  const topics = useMemo(() => {
    const written = [...byTopic].filter(([topic, row]) => topic !== row.short)
    const others = [...byTopic].filter(([topic, row]) => topic === row.short)
    return [...written, ...others].map(([topic]) => topic)
  }, [byTopic])
  const rowOf = useCallback(
    (topic: string): Row | undefined => byTopic.get(shortTopic(topic.trim(), clientId)),
    [byTopic, clientId]
  )
  /** Where the values are stored that follow, without the client id: of the function, or the topic itself. */
  const readOf = (topic: string): string | undefined => {
    const short = rowOf(topic)?.short ?? shortTopic(topic, clientId)
    return short.startsWith('obj/') ? short : undefined
  }
  return { topics, rowOf, readOf }
}
