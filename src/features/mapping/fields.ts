import type { Static } from 'typebox'
import { badRequest } from '../../http/errors.ts'
import { given } from '../../http/given.ts'
import {
  type CompiledMapping,
  compileMapping,
  type MappingRule
} from '../../lib/mapping/mapping.ts'
import type { ValueRule } from '../../lib/mapping/rule.ts'
import type { NewMapping } from './schema.ts'

export type MappingFields = MappingRule & {
  name: string
  active: boolean
  create_missing: boolean
}

type Body = Static<typeof NewMapping>
type Value = NonNullable<Body['values']>[number]

/** As JSON. Reading so many takes less than a millisecond. */
const MAX_RULES_CHARACTERS = 32_768

const none: MappingFields = {
  ...{ name: '', active: true, make: '', filter: '', create_missing: false, values: [] }
}

/** The whole mapping that a body describes. Missing and null fields keep what is in `current`. */
export function fieldsOf({ values, ...body }: Body, current = none): MappingFields {
  const fields = given(body, ['name', 'active', 'make', 'filter', 'create_missing'])
  const merged = { ...current, ...fields, ...(values && { values: values.map(ruleOf) }) }
  return { ...merged, name: merged.name || merged.make || merged.filter }
}

const ruleOf = ({ timestamp, ...value }: Value): ValueRule => ({
  ...{ path: '', table: {}, factor: 1, offset: 0, unit: '' },
  ...given(value, ['path', 'table', 'factor', 'offset', 'unit']),
  topic: value.topic,
  timestamp: timestamp ? { path: timestamp.path ?? '', format: timestamp.format } : null
})

/** Throws if the mapping cannot work. `within`: where it is in the body. */
export function compile(fields: MappingFields, within = ''): CompiledMapping {
  if (JSON.stringify(fields.values).length > MAX_RULES_CHARACTERS) {
    throw badRequest(`${within}values must have at most ${MAX_RULES_CHARACTERS} characters as JSON`)
  }
  const compiled = compileMapping(fields)
  if ('what' in compiled) throw badRequest(`${within}${compiled.at} ${compiled.what}`)
  return compiled
}
