import fastJson from 'fast-json-stringify'
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

type Validate = ReturnType<FastifySchemaCompiler<TSchema>>
type Serialize = ReturnType<FastifySerializerCompiler<TSchema>>

/** Only checks and changes nothing. parameters.ts has converted unusual input before. */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = compilerOf<Validate>((schema) => {
  const validator = Compile(schema)
  return (value: unknown) =>
    validator.Check(value) ? { value } : { error: new Unfit('bad request') }
})

export const serializerCompiler: FastifySerializerCompiler<TSchema> = compilerOf<Serialize>(
  (schema) => fastJson(schema as Parameters<typeof fastJson>[0])
)

/**
 * Compiles a schema when it is first used: a start that compiled all of them took a quarter longer.
 * GET and HEAD share their schemas, and so do the two paths of a route.
 */
function compilerOf<Compiled extends (value: never) => unknown>(
  compile: (schema: TSchema) => Compiled
) {
  const known = new WeakMap<TSchema, Compiled>()
  return ({ schema }: { schema: TSchema }): Compiled => {
    const use = known.get(schema) ?? later(() => compile(schema))
    known.set(schema, use)
    return use
  }
}

function later<Compiled extends (value: never) => unknown>(compile: () => Compiled): Compiled {
  let compiled: Compiled | undefined
  return ((value) => {
    compiled ??= compile()
    return compiled(value)
  }) as Compiled
}

/** A part of the request does not fit its schema. The error handler finds out what is wrong. */
export class Unfit extends Error {
  override readonly name = 'Unfit'
}
