import type { FastifyBaseLogger, FastifyReply } from 'fastify'

/** Tells the caller how long history took, and logs slow queries. `shape` has no topics and values. */
export async function timed<T>(
  reply: FastifyReply,
  { log, slowQueryMs }: { log: FastifyBaseLogger; slowQueryMs: number },
  shape: object,
  read: () => Promise<T>
): Promise<T> {
  const start = performance.now()
  try {
    return await read()
  } finally {
    const ms = performance.now() - start
    reply.header('server-timing', `history;dur=${ms.toFixed(1)}`)
    if (ms >= slowQueryMs) log.warn({ ...shape, ms: Math.round(ms) }, 'slow log query')
  }
}
