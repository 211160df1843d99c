import type { FastifyReply } from 'fastify'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Answers that are JSON text already; the route's schema describes them, nothing serializes again. */
export const sendJsonText = (reply: FastifyReply, text: string | Uint8Array) =>
  reply.type(JSON_TYPE).send(text)
