import { useEffect, useState } from 'react'
import { subscribe } from '../live/connection.ts'
import { lastMessages } from './api.ts'

export type Message = { topic: string; payload: string }
type Installation = { id: number; client_id: number }

/** The newest message of so many topics. */
const MAX_TOPICS = 200
/** A longer text is cut: it is only shown and tried. */
const MAX_BYTES = 16_384
const SHOW_EVERY_MS = 300
/** Values, commands and announcements are never mapped. */
const NEVER_MAPPED = new Set(['obj', 'set', 'evt'])

/**
 * The newest messages of the installation that a mapping may read, without the client id: those
 * that the platform has seen before, and those that come.
 */
export function useHeard({ id, client_id }: Installation): readonly Message[] {
  const [shown, show] = useState<readonly Message[]>([])
  useEffect(() => {
    const messages = new Map<string, Message>()
    const text = new TextDecoder()
    let timer: ReturnType<typeof setTimeout> | undefined
    const showSoon = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        show([...messages.values()].reverse())
      }, SHOW_EVERY_MS)
    }
    const stop = subscribe(`${client_id}/#`, (whole, payload) => {
      const topic = whole.slice(whole.indexOf('/') + 1)
      if (NEVER_MAPPED.has(topic.split('/', 1)[0] ?? '')) return
      messages.delete(topic)
      messages.set(topic, { topic, payload: text.decode(payload.subarray(0, MAX_BYTES)) })
      for (const oldest of messages.keys()) {
        if (messages.size <= MAX_TOPICS) break
        messages.delete(oldest)
      }
      showSoon()
    })
    let isOpen = true
    lastMessages(id).then(
      (earlier) => {
        if (!isOpen) return
        const heard = [...messages]
        messages.clear()
        for (const { topic, payload } of earlier.reverse()) messages.set(topic, { topic, payload })
        for (const [topic, message] of heard) {
          messages.delete(topic)
          messages.set(topic, message)
        }
        showSoon()
      },
      // The messages that come from now on are shown all the same.
      () => {}
    )
    return () => {
      isOpen = false
      stop()
      clearTimeout(timer)
    }
  }, [id, client_id])
  return shown
}
