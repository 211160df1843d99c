import { isUtf8 } from 'node:buffer'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { Deps, Routes } from '../../deps.ts'
import { type ApiError, badRequest, tooManyValues } from '../../http/errors.ts'
import { hungUp } from '../../http/hung-up.ts'
import { InstallationParams } from '../../http/schema.ts'
import { executes } from '../../http/traced.ts'
import { topicExcerpt } from '../../lib/topic.ts'
import { SECOND, toSeconds } from '../../lib/unix-time.ts'
import { onInstallation } from '../../permission/guard.ts'
import type { AccountPlace } from '../../quota/accounts.ts'
import { excessText } from '../../quota/meter.ts'
import type { Answer, Command } from './commands.ts'
import type { CommandDeps } from './deps.ts'
import { CommandAnswer, DEFAULT_TIMEOUT_S, MAX_PAYLOAD_BYTES, NewCommand } from './schema.ts'
import { topicsOf } from './topics.ts'

/** A caller who sends too fast gets its answer after this time, and keeps its place meanwhile. */
const SLOW_DOWN_MS = SECOND / 10
/** Mappings translate what is written below this level. */
const TRANSLATED = 'set/'

/** [ADR-0067] Commands to devices, which answer. */
export const commandRoutes: Routes<CommandDeps> = (app, deps) => {
  const { commands, blacklist, accounts, shares, ingest, log } = deps
  app.addHook('preClose', async () => commands.stop())

  app.post(
    '/:installation_id',
    {
      schema: {
        tags: ['Command'],
        operationId: 'sendCommand',
        faults: [429, 502, 503, 504],
        summary: 'Publish a command on a topic of the installation and wait for the answer',
        params: InstallationParams,
        body: NewCommand,
        response: { 200: CommandAnswer }
      },
      config: {
        access: onInstallation('command/send'),
        trace: executes('installation', 'installation_id', 'sent a command to'),
        evenWhenFull: 'writes little'
      }
    },
    async (request, reply) => {
      const { installation, principal } = request
      const signal = hungUp(reply.raw)
      const asked = askedIn(request, blacklist)
      const { topic, responseTopic } = asked
      const free = await shares.take('commands', request, reply)
      const place = accounts.placeOf(installation)
      const told = tellTrace(request, topic)
      try {
        const excess = chargeFor(deps, place)
        if (excess) {
          await wait(SLOW_DOWN_MS)
          throw excess
        }
        asked.options.tenant = place.tenant
        const answer = await commands.send(asked, {
          ...{ installationId: installation.id, owner: principal.owner, signal },
          onSent(payload) {
            told.sent()
            if (!topic.startsWith(`${installation.client_id}/${TRANSLATED}`)) return
            const message = { topic, payload: Buffer.from(payload), qos: 0, retain: false } as const
            ingest
              .accept(message, principal.owner)
              .catch((err) => log.error({ err, topic }, 'a command could not be translated'))
          }
        })
        told.answered()
        return shown(responseTopic, answer)
      } catch (error) {
        told.failed()
        throw error
      } finally {
        free()
      }
    }
  )
}

/** Takes the body out of the request: a node would else keep thousands of them while it waits. */
function askedIn(
  request: FastifyRequest & { body: Static<typeof NewCommand> },
  blacklist: CommandDeps['blacklist']
): Command {
  const { body, installation } = request
  const topics = topicsOf(body, installation, blacklist)
  const payload = payloadOf(body)
  const { qos, content_type, timeout } = body
  request.body = { topic: '' }
  return {
    ...topics,
    payload,
    timeoutMs: (timeout ?? DEFAULT_TIMEOUT_S) * SECOND,
    options: { qos: qos === 0 ? 0 : 1, contentType: content_type ?? undefined }
  }
}

function payloadOf({ payload }: Static<typeof NewCommand>): string {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload ?? undefined)
  if (Buffer.byteLength(text ?? '') > MAX_PAYLOAD_BYTES) {
    throw badRequest(`payload must have at most ${MAX_PAYLOAD_BYTES} bytes`)
  }
  return text ?? ''
}

/** A command is one message of the installation. */
function chargeFor(
  { meter, metrics, clock }: Pick<Deps, 'meter' | 'metrics' | 'clock'>,
  place: AccountPlace
): ApiError | undefined {
  const excess = meter.takeMessages(place, clock())
  if (!excess) return undefined
  metrics.refused(excess.reason)
  meter.note(excess)
  const text = excessText(excess, { kind: 'installation', id: place.own.id })
  return tooManyValues(text, Math.max(1, Math.ceil(excess.account.secondsUntilMessages(1))))
}

/** The trace says what became of a command that was sent, also if the caller gets an error. */
function tellTrace(request: FastifyRequest, topic: string) {
  const begun = performance.now()
  const tell = (outcome: 'answered' | 'not answered') => {
    const seconds = ((performance.now() - begun) / SECOND).toFixed(3)
    request.traceText = `sent a command on ${topicExcerpt(topic)}, ${outcome} after ${seconds} s, to`
  }
  return {
    sent() {
      request.changedAnyway = true
    },
    answered: () => tell('answered'),
    failed: () => tell('not answered')
  }
}

const shown = (
  topic: string,
  { at, payload, contentType, userProperties }: Answer
): Static<typeof CommandAnswer> => ({
  topic,
  timestamp: toSeconds(at),
  ...(isUtf8(payload)
    ? { payload: payload.toString() }
    : { payload_base64: payload.toString('base64') }),
  ...(contentType !== undefined && { content_type: contentType }),
  ...(userProperties.length > 0 && { user_properties: [...userProperties] })
})
