import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

type Validate = ReturnType<FastifySchemaCompiler<TSchema>>

/** GET and HEAD share their schemas, and so do the two addresses of a route. */
const compiled = new WeakMap<TSchema, Validate>()

/** Checks and changes nothing: what clients send oddly is put right before, in parameters.ts. */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema }) => {
  const validate = compiled.get(schema) ?? validatorOf(schema)
  compiled.set(schema, validate)
  return validate
}

/** A part of the request does not fit its description; the handler of errors says what is wrong. */
export class Unfit extends Error {
  override readonly name = 'Unfit'
}

function validatorOf(schema: TSchema): Validate {
  const validator = Compile(schema)
  return (value: unknown) =>
    validator.Check(value) ? { value } : { error: new Unfit('bad request') }
}
