import { type Static, Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { badRequest, forbidden, notFound, usedByOutput } from '../../http/errors.ts'
import { checkMatch, tagged } from '../../http/etag.ts'
import { given } from '../../http/given.ts'
import { InstallationParams, Message } from '../../http/schema.ts'
import { creates, deletes, readsOnly, updates } from '../../http/traced.ts'
import { onInstallation } from '../../permission/guard.ts'
import { inTransaction } from '../../registry/transaction.ts'
import {
  deleteMessage,
  findMessage,
  insertMessage,
  listMessages,
  type MessageRow,
  updateMessage
} from './messages.ts'
import { checkedPayload, checkTemplate, renderedText } from './rendering.ts'
import {
  MessageParams,
  MessageTry,
  MessageUpdate,
  NewMessage,
  NotificationMessage,
  RenderedMessage
} from './schema.ts'
import { findSubject } from './sending.ts'

const MAX_MESSAGES = 1000
/** Of a text and a payload. */
const MAX_TRY_BYTES = 128 * 1024

export const messageRoutes: Routes = (app, { registry, clock, timezone }) => {
  const tags = ['Notification']

  app.get(
    '/:installation_id/message',
    {
      schema: {
        tags,
        operationId: 'listMessages',
        summary: 'Messages of an installation',
        params: InstallationParams,
        response: { 200: Type.Array(NotificationMessage) }
      },
      config: { access: onInstallation('notification/message/list') }
    },
    async ({ installation }) => (await listMessages(registry, installation.id)).map(shown)
  )

  app.post(
    '/:installation_id/message',
    {
      schema: {
        tags,
        operationId: 'createMessage',
        summary: 'Create a message',
        params: InstallationParams,
        body: NewMessage,
        response: { 200: NotificationMessage }
      },
      config: {
        access: onInstallation('notification/message/create_delete'),
        trace: creates('notification_message')
      }
    },
    async ({ installation, body: { name, text } }) => {
      checkTemplate('text', text)
      const limits = { most: MAX_MESSAGES, now: clock() }
      const row = await insertMessage(registry, installation.id, { name, text }, limits)
      if (!row) throw badRequest(`an installation has at most ${MAX_MESSAGES} messages`)
      return shown(row)
    }
  )

  app.post(
    '/:installation_id/message/try',
    {
      bodyLimit: MAX_TRY_BYTES,
      schema: {
        tags,
        operationId: 'tryMessage',
        summary: 'Render a text with a payload; nothing is stored or sent',
        params: InstallationParams,
        body: MessageTry,
        response: { 200: RenderedMessage }
      },
      // What these callers save and send would tell them the same.
      config: {
        access: onInstallation('notification/message/update', 'notification/message/create_delete'),
        trace: readsOnly
      }
    },
    async ({ installation, body: { text, payload } }) => {
      const given = checkedPayload('payload', payload)
      const subject = await findSubject(registry, installation.id)
      if (!subject) throw forbidden()
      const zone = subject.installation.timezone || timezone
      return { text: renderedText(text, subject, { payload: given, zone }) }
    }
  )

  app.get(
    '/:installation_id/message/:message_id',
    {
      schema: {
        tags,
        operationId: 'getMessage',
        summary: 'One message',
        faults: [404],
        params: MessageParams,
        response: { 200: NotificationMessage }
      },
      config: { access: onInstallation('notification/message/list') }
    },
    async ({ installation, params }, reply) => {
      const row = await findMessage(registry, installation.id, params.message_id)
      if (!row) throw notFound()
      return tagged(reply, shown(row))
    }
  )

  app.put(
    '/:installation_id/message/:message_id',
    {
      schema: {
        tags,
        operationId: 'updateMessage',
        faults: [404, 412],
        summary: 'Update a message; fields that are missing or null keep their value',
        params: MessageParams,
        body: MessageUpdate,
        response: { 200: NotificationMessage }
      },
      config: {
        access: onInstallation('notification/message/update'),
        trace: updates('notification_message', 'message_id')
      }
    },
    async (request, reply) => {
      const { installation, params, body } = request
      const fields = given(body, ['name', 'text'])
      if (fields.text !== undefined) checkTemplate('text', fields.text)
      const changes = { ...fields, updated: clock() }
      const id = params.message_id
      const row = await inTransaction(registry, async (registry) => {
        const current = await findMessage(registry, installation.id, id)
        if (current) checkMatch(request, shown(current))
        return updateMessage(registry, installation.id, id, changes)
      })
      if (!row) throw notFound()
      return tagged(reply, shown(row))
    }
  )

  app.delete(
    '/:installation_id/message/:message_id',
    {
      schema: {
        tags,
        operationId: 'deleteMessage',
        faults: [404, 409],
        summary: 'Delete a message that no output uses',
        params: MessageParams,
        response: { 200: Message }
      },
      config: {
        access: onInstallation('notification/message/create_delete'),
        trace: deletes('notification_message', 'message_id')
      }
    },
    async ({ installation, params }) => {
      const outcome = await deleteMessage(registry, installation.id, params.message_id)
      if (outcome === 'missing') throw notFound()
      if (outcome === 'used') throw usedByOutput()
      return { message: 'Deleted' }
    }
  )
}

const shown = ({
  id,
  installation_id,
  name,
  text
}: MessageRow): Static<typeof NotificationMessage> => ({ id, installation_id, name, text })
