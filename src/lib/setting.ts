import { type TSchema, Type } from 'typebox'

/** The kinds of settings, and what to say when a value does not fit. */

export const Port = (fallback: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 65_535, default: fallback, description })

export const PortOrOff = (fallback: number, description: string) =>
  Type.Union([Type.Integer({ minimum: 0, maximum: 65_535 }), Type.Literal('off')], {
    default: fallback,
    description
  })

export const Text = (fallback: string, description: string) =>
  Type.String({ default: fallback, description })

/** Can also be read from the file that `<name>_FILE` names. */
export const Secret = (description: string) =>
  Type.String({ default: '', description, secret: true })

export const isSecret = (schema: TSchema): boolean => 'secret' in schema

const kindsOf = (schema: TSchema): TSchema[] =>
  'anyOf' in schema && Array.isArray(schema.anyOf) ? schema.anyOf : [schema]

export const isNumeric = (schema: TSchema): boolean =>
  kindsOf(schema).some((kind) => 'type' in kind && kind.type === 'integer')

export function expectation(schema: TSchema): string {
  const [number, other] = kindsOf(schema)
  if (isNumeric(schema) && number && other && 'const' in other) {
    return `${expectation(number)}, or ${other.const}`
  }
  if ('minimum' in schema) {
    const to = 'maximum' in schema ? ` to ${schema.maximum}` : ' or more'
    return `must be a whole number from ${schema.minimum}${to}`
  }
  return `must be ${'description' in schema ? schema.description : 'text'}`
}
