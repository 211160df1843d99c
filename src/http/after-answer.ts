import type { FastifyReply } from 'fastify'

/**
 * Runs work after the answer was sent or the caller has hung up, so that the time of the answer
 * shows nothing about the work. A promise is not enough: on SQLite all of it would run before the
 * answer.
 */
export function afterAnswer({ raw }: Pick<FastifyReply, 'raw'>, work: () => void): void {
  raw.once('close', () => setImmediate(work))
}
