import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

/** Checks and changes nothing: what clients send oddly is put right before, in parameters.ts. */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema }) => {
  const compiled = Compile(schema)
  return (value: unknown) =>
    compiled.Check(value)
      ? { value }
      : { error: Object.assign(new Error('bad request'), { validation: compiled.Errors(value) }) }
}
