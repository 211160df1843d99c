import { type Static, Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { badRequest, notFound } from '../../http/errors.ts'
import { checkMatch, tagged } from '../../http/etag.ts'
import { given } from '../../http/given.ts'
import { stopping } from '../../http/hung-up.ts'
import { InstallationParams, Message } from '../../http/schema.ts'
import { creates, deletes, executes, updates } from '../../http/traced.ts'
import { toWholeSeconds } from '../../lib/unix-time.ts'
import { onInstallation } from '../../permission/guard.ts'
import { inTransaction } from '../../registry/transaction.ts'
import type { NotificationDeps } from './deps.ts'
import {
  deleteOutput,
  findOutput,
  insertOutput,
  listOutputs,
  listSends,
  type OutputFault,
  type OutputRecord,
  updateOutput
} from './messages.ts'
import { checkedPayload, checkTemplates } from './rendering.ts'
import { NewOutput, NotificationOutput, OutputParams, OutputUpdate, Send } from './schema.ts'
import { sendNotification } from './sending.ts'

const MAX_OUTPUTS = 1000
const MAX_PAYLOAD_BYTES = 64 * 1024

export const outputRoutes: Routes<NotificationDeps> = (app, deps) => {
  const { registry, clock } = deps
  const tags = ['Notification']
  const one = '/:installation_id/output/:output_id'
  const stop = stopping(app)

  app.get(
    '/:installation_id/output',
    {
      schema: {
        tags,
        operationId: 'listOutputs',
        summary: 'Outputs of an installation',
        params: InstallationParams,
        response: { 200: Type.Array(NotificationOutput) }
      },
      config: { access: onInstallation('notification/output/list') }
    },
    async ({ installation }) => (await listOutputs(registry, installation.id)).map(shown)
  )

  app.post(
    '/:installation_id/output',
    {
      schema: {
        tags,
        operationId: 'createOutput',
        summary: 'Create an output: a message, an executor and its configuration',
        params: InstallationParams,
        body: NewOutput,
        response: { 200: NotificationOutput }
      },
      config: {
        access: onInstallation('notification/output/create_delete'),
        trace: creates('notification_output')
      }
    },
    async ({ installation, body }) => {
      const config = body.config ?? {}
      checkTemplates(config)
      const { notification_message_id, notification_output_executor_id } = body
      const fields = {
        name: body.name ?? '',
        notification_message_id,
        notification_output_executor_id,
        config
      }
      const limits = { most: MAX_OUTPUTS, now: clock() }
      return answer(await insertOutput(registry, installation.id, fields, limits))
    }
  )

  app.get(
    one,
    {
      schema: {
        tags,
        operationId: 'getOutput',
        summary: 'One output',
        faults: [404],
        params: OutputParams,
        response: { 200: NotificationOutput }
      },
      config: { access: onInstallation('notification/output/list') }
    },
    async ({ installation, params }, reply) => {
      const output = await findOutput(registry, installation.id, params.output_id)
      return tagged(reply, answer(output ?? 'missing'))
    }
  )

  app.put(
    one,
    {
      schema: {
        tags,
        operationId: 'updateOutput',
        faults: [404, 412],
        summary: 'Update an output; fields that are missing or null keep their value',
        params: OutputParams,
        body: OutputUpdate,
        response: { 200: NotificationOutput }
      },
      config: {
        access: onInstallation('notification/output/update'),
        trace: updates('notification_output', 'output_id')
      }
    },
    async (request, reply) => {
      const { installation, params, body } = request
      const fields = given(body, [
        'name',
        'notification_message_id',
        'notification_output_executor_id',
        'config'
      ])
      if (fields.config) checkTemplates(fields.config)
      const changes = { ...fields, updated: clock() }
      const id = params.output_id
      const output = await inTransaction(registry, async (registry) => {
        const current = await findOutput(registry, installation.id, id)
        if (current) checkMatch(request, shown(current))
        return updateOutput(registry, installation.id, id, changes)
      })
      return tagged(reply, answer(output))
    }
  )

  app.delete(
    one,
    {
      schema: {
        tags,
        operationId: 'deleteOutput',
        faults: [404],
        summary: 'Delete an output',
        params: OutputParams,
        response: { 200: Message }
      },
      config: {
        access: onInstallation('notification/output/create_delete'),
        trace: deletes('notification_output', 'output_id')
      }
    },
    async ({ installation, params }) => {
      if (!(await deleteOutput(registry, installation.id, params.output_id))) throw notFound()
      return { message: 'Deleted' }
    }
  )

  app.post(
    `${one}/send`,
    {
      bodyLimit: MAX_PAYLOAD_BYTES,
      schema: {
        tags,
        operationId: 'sendOutput',
        faults: [404, 409, 502],
        summary: 'Send an output; the body is its payload: a JSON object or nothing',
        params: OutputParams,
        response: { 200: Message }
      },
      config: {
        access: onInstallation('notification/output/send'),
        trace: executes('notification_output', 'output_id', 'sent'),
        body: Type.Object({}, { description: '`payload` of the templates' })
      }
    },
    async ({ installation, params, body }) => {
      const payload = checkedPayload('body', body)
      await sendNotification(deps, installation, { outputId: params.output_id, payload, stop })
      return { message: 'Sent' }
    }
  )

  app.get(
    `${one}/sends`,
    {
      schema: {
        tags,
        operationId: 'listSends',
        faults: [404],
        summary: 'Results of the last sends, newest first',
        params: OutputParams,
        response: { 200: Type.Array(Send) }
      },
      config: { access: onInstallation('notification/output/list') }
    },
    async ({ installation, params }) => {
      const output = await findOutput(registry, installation.id, params.output_id)
      if (!output) throw notFound()
      const sends = await listSends(registry, output.id)
      return sends.map(({ sent, outcome }) => ({ sent: toWholeSeconds(sent), outcome }))
    }
  )
}

const faults = {
  full: () => badRequest(`an installation has at most ${MAX_OUTPUTS} outputs`),
  message: () => badRequest('notification_message_id must be a message of the installation'),
  executor: () =>
    badRequest(
      "notification_output_executor_id must be an executor of the installation's organization or above it"
    ),
  missing: notFound
}

function answer(outcome: OutputRecord | OutputFault): Static<typeof NotificationOutput> {
  if (typeof outcome === 'string') throw faults[outcome]()
  return shown(outcome)
}

const shown = ({
  sends: _,
  created: __,
  updated: ___,
  ...output
}: OutputRecord): Static<typeof NotificationOutput> => output
