import type { FastifyReply } from 'fastify'

/**
 * Work that begins when the answer has left, or the caller has: how long it takes tells nobody anything.
 * A promise alone is not enough, for on SQLite all of it runs before the answer goes out.
 */
export function afterAnswer({ raw }: Pick<FastifyReply, 'raw'>, work: () => void): void {
  raw.once('close', () => setImmediate(work))
}
