import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
import { Type } from 'typebox'
import { Status } from '../../src/http/schema.ts'

/** The floor of status and of a start: one route, the same body by the same schema, no rights. */
const [port, bodyFile] = process.argv.slice(2)
const body: unknown = bodyFile ? JSON.parse(readFileSync(bodyFile, 'utf8')) : []
const app = Fastify()
app.get('/', { schema: { response: { 200: Type.Array(Status) } } }, async () => body)
await app.listen({ port: Number(port), host: '127.0.0.1' })
