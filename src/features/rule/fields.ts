import type { Static } from 'typebox'
import { badRequest } from '../../http/errors.ts'
import { given } from '../../http/given.ts'
import { parseDefinition } from '../../lib/alarm/check.ts'
import { newBudget, parseTemplate, TemplateError } from '../../lib/template/template.ts'
import { definitionText, type RuleFields } from './rows.ts'
import { MAX_DEFINITION_BYTES, type NewRule, type RuleUpdate } from './schema.ts'

type Body = Static<typeof NewRule> | Static<typeof RuleUpdate>

const none = { name: '', active: true, severity: 'warning' } as const

/**
 * The whole rule that a body describes. Missing and null fields keep what is in `current`, but
 * `schedule` is null if there is none. Throws if the rule cannot work; `within` is where it is in the
 * body.
 */
export function fieldsOf(
  body: Body,
  { current, within = '' }: { current?: RuleFields; within?: string } = {}
): RuleFields {
  const { schedule } = body
  const merged = {
    ...(current ?? none),
    ...given(body, ['name', 'active', 'severity', 'on', 'when', 'for', 'hysteresis', 'message']),
    ...(schedule !== undefined && { schedule })
  }
  const { name, active, severity } = merged
  const definition = parseDefinition(merged)
  if (typeof definition === 'string') throw badRequest(`${within}${definition}`)
  checkTemplate(`${within}message`, definition.message)
  if (Buffer.byteLength(definitionText(definition)) > MAX_DEFINITION_BYTES) {
    throw badRequest(`${within || 'body '}must have at most ${MAX_DEFINITION_BYTES} bytes as JSON`)
  }
  return { ...definition, name, active, severity }
}

function checkTemplate(field: string, text: string): void {
  try {
    parseTemplate(text, newBudget())
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw badRequest(`${field}: ${error.message}`)
  }
}
