/** A field of `input` in an app.json. Its contents are not checked. */
type Field = {
  type?: unknown
  required?: unknown
  min?: unknown
  max?: unknown
  true_value?: unknown
  false_value?: unknown
  input_fields?: unknown
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const MAX_LEVELS = 32

/** Nobody needs deeper nesting, and walking through it could overflow the stack. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_LEVELS) return true
    level = level.flatMap((one) => (typeof one === 'object' && one ? Object.values(one) : []))
  }
  return false
}

/** What is wrong with an app.json, or undefined. */
export function appJsonFault(text: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    if (isTooDeep(parsed)) return `app_json is nested more than ${MAX_LEVELS} levels deep`
    if (!isMap(parsed)) return 'app_json must be a JSON object'
    const { input = {} } = parsed
    return isMap(input) ? undefined : 'app_json.input must be an object'
  } catch (error) {
    return `app_json is not valid JSON: ${error instanceof Error ? error.message : error}`
  }
}

/** What is wrong with the configuration of an instance, or undefined. */
export function configFault(appJson: string, config: Record<string, unknown>): string | undefined {
  if (isTooDeep(config)) return `config is nested more than ${MAX_LEVELS} levels deep`
  const { input } = JSON.parse(appJson) as { input?: unknown }
  return isMap(input) ? faultOf(input, config, 'config') : undefined
}

function faultOf(
  fields: Record<string, unknown>,
  config: Record<string, unknown>,
  path: string
): string | undefined {
  for (const [name, field] of Object.entries(fields)) {
    if (!isMap(field)) continue
    const value = Object.hasOwn(config, name) ? config[name] : undefined
    const fault = fieldFault(field, value, `${path}.${name}`)
    if (fault) return fault
  }
  return undefined
}

function fieldFault(field: Field, value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) {
    return field.required === true ? `${path} is required` : undefined
  }
  const type = String(field.type)
  if (type === 'number') return numberFault(field, value, path)
  if (type === 'text') return typeof value === 'string' ? undefined : `${path} must be text`
  if (type === 'toggle') {
    const choices = [true, false, field.true_value, field.false_value]
    return choices.includes(value) ? undefined : `${path} must be on or off`
  }
  if (type === 'repeat') return repeatFault(field, value, path)
  // A selector with a value for each entry gives a map from id to value.
  if (/^single_\w+_selector$/.test(type)) {
    return isId(value) || isMap(value) ? undefined : `${path} must be an id`
  }
  if (/^multi_\w+_selector$/.test(type)) {
    const isList = Array.isArray(value) && value.every(isId)
    return isList || isMap(value) ? undefined : `${path} must be a list of ids`
  }
  return undefined
}

const isId = (value: unknown): boolean =>
  Number.isSafeInteger(value) || (typeof value === 'string' && /^\d+$/.test(value))

function numberFault({ min, max }: Field, value: unknown, path: string): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return `${path} must be a number`
  if (typeof min === 'number' && value < min) return `${path} must be at least ${min}`
  if (typeof max === 'number' && value > max) return `${path} must be at most ${max}`
  return undefined
}

function repeatFault({ input_fields }: Field, value: unknown, path: string): string | undefined {
  if (!Array.isArray(value)) return `${path} must be a list`
  const fields = isMap(input_fields) ? input_fields : {}
  for (const [i, one] of value.entries()) {
    if (!isMap(one)) return `${path}.${i} must be an object`
    const fault = faultOf(fields, one, `${path}.${i}`)
    if (fault) return fault
  }
  return undefined
}
