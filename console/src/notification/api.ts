import { queryOptions } from '@tanstack/react-query'
import type { Schemas, Tagged } from '../../../tools/client/client.ts'
import { OTHERS_MS } from '../queries.ts'
import { call } from '../session/session.ts'
import type { Message, Output } from './types.ts'

type MessageBody = Schemas['NewMessage']
type OutputBody = Schemas['NewOutput']

export const messages = (installation_id: number) =>
  queryOptions({
    queryKey: ['messages', installation_id],
    refetchInterval: OTHERS_MS,
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/notification/{installation_id}/message', { path: { installation_id } })
      )
  })

export const outputs = (installation_id: number) =>
  queryOptions({
    queryKey: ['outputs', installation_id],
    refetchInterval: OTHERS_MS,
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/notification/{installation_id}/output', { path: { installation_id } })
      )
  })

/** What an output of the installation can send with. */
export const executors = (installation_id: number) =>
  queryOptions({
    queryKey: ['executors of', installation_id],
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/notification/{installation_id}/executor', {
          path: { installation_id }
        })
      )
  })

/** The newest first. */
export const sends = ({ installation_id, id: output_id }: Output) =>
  queryOptions({
    queryKey: ['sends', installation_id, output_id],
    refetchInterval: OTHERS_MS,
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/notification/{installation_id}/output/{output_id}/sends', {
          path: { installation_id, output_id }
        })
      )
  })

const messagePath = ({ id, installation_id }: Message) => ({
  path: { installation_id, message_id: id }
})
const outputPath = ({ id, installation_id }: Output) => ({
  path: { installation_id, output_id: id }
})

export const createMessage = (installation_id: number, body: MessageBody): Promise<Message> =>
  call((caracal) =>
    caracal.post('/api/v2/notification/{installation_id}/message', {
      path: { installation_id },
      body
    })
  )

/** One message, with the tag for its change. */
export const readMessage = (message: Message): Promise<Tagged<Message>> =>
  call((caracal) =>
    caracal.tagged(
      '/api/v2/notification/{installation_id}/message/{message_id}',
      messagePath(message)
    )
  )

export const updateMessage = (
  message: Message,
  body: MessageBody,
  etag: string
): Promise<Message> =>
  call((caracal) =>
    caracal.put('/api/v2/notification/{installation_id}/message/{message_id}', {
      ...messagePath(message),
      header: { 'If-Match': etag },
      body
    })
  )

export const removeMessage = (message: Message): Promise<unknown> =>
  call((caracal) =>
    caracal.delete(
      '/api/v2/notification/{installation_id}/message/{message_id}',
      messagePath(message)
    )
  )

export const createOutput = (installation_id: number, body: OutputBody): Promise<Output> =>
  call((caracal) =>
    caracal.post('/api/v2/notification/{installation_id}/output', {
      path: { installation_id },
      body
    })
  )

/** One output, with the tag for its change. */
export const readOutput = (output: Output): Promise<Tagged<Output>> =>
  call((caracal) =>
    caracal.tagged('/api/v2/notification/{installation_id}/output/{output_id}', outputPath(output))
  )

export const updateOutput = (output: Output, body: OutputBody, etag: string): Promise<Output> =>
  call((caracal) =>
    caracal.put('/api/v2/notification/{installation_id}/output/{output_id}', {
      ...outputPath(output),
      header: { 'If-Match': etag },
      body
    })
  )

export const removeOutput = (output: Output): Promise<unknown> =>
  call((caracal) =>
    caracal.delete('/api/v2/notification/{installation_id}/output/{output_id}', outputPath(output))
  )

type Trial = { text: string; payload: Record<string, unknown> }

/** How a text reads with a payload. Nothing is sent. */
export const trial = (installation_id: number, { text, payload }: Trial) =>
  queryOptions({
    queryKey: ['trial', installation_id, text, payload],
    gcTime: 0,
    queryFn: () =>
      call((caracal) =>
        caracal.post('/api/v2/notification/{installation_id}/message/try', {
          path: { installation_id },
          body: { text, payload }
        })
      )
  })

/** Really sends it, as it is saved. */
export const send = (output: Output, payload: Record<string, unknown>): Promise<unknown> =>
  call((caracal) =>
    caracal.raw('POST', '/api/v2/notification/{installation_id}/output/{output_id}/send', {
      ...outputPath(output),
      body: payload
    })
  )
