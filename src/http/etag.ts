import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { changedMeanwhile } from './errors.ts'

/** [ADR-0069] Of an object as this caller sees it. Both dialects have the same. */
export const tagOf = (shown: unknown): string =>
  hash('sha256', JSON.stringify(shown), 'hex').slice(0, 32)

/**
 * Answers an object with its `ETag`, for the `If-Match` of a later change. `lasting` is the part of
 * it that only callers change.
 */
export function tagged<Shown>(reply: FastifyReply, shown: Shown, lasting: unknown = shown): Shown {
  sendTag(reply, tagOf(lasting))
  return shown
}

export const sendTag = (reply: FastifyReply, tag: string): void => {
  reply.header('etag', `"${tag}"`)
}

/**
 * Refuses a change that was made on an object that looked different. Call it in the transaction of
 * the change. Without `If-Match` the change is not refused.
 */
export function checkMatch({ headers }: Pick<FastifyRequest, 'headers'>, current: unknown): void {
  const asked = headers['if-match']
  if (asked === undefined || asked.trim() === '*') return
  if (!tagsIn(asked).includes(tagOf(current))) throw changedMeanwhile()
}

/** A proxy that compresses an answer marks its tag as weak or adds a suffix. */
const TAG = /^(?:W\/)?"([0-9a-f]{32})(?:-\w+)?"$/

const tagsIn = (header: string): (string | undefined)[] =>
  header.split(',').map((part) => TAG.exec(part.trim())?.[1])
