import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
import { Type } from 'typebox'
import { schemas as modelx } from '../../src/features/modelx/schema.ts'
import { Status } from '../../src/http/schema.ts'

/** The floor of answers and of a start: one route with the same body and schema, without permissions. */
const [port, shape = 'status', bodyFile] = process.argv.slice(2)
const schemas: Record<string, Type.TSchema | undefined> = {
  status: Type.Array(Status),
  function: modelx.Function.ModelX
}
const body: unknown = bodyFile ? JSON.parse(readFileSync(bodyFile, 'utf8')) : []
const app = Fastify()
app.get('/', { schema: { response: { 200: schemas[shape] } } }, async () => body)
await app.listen({ port: Number(port), host: '127.0.0.1' })
