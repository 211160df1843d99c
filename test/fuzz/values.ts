import { type Description, plainSchema, type Schema, typesOf } from './description.ts'
import type { Dice } from './dice.ts'

/** Values of fields where the schema alone does not say what is right. */
export type Known = {
  valueOf: (name: string) => unknown
  /** The operation does not succeed without this field, though it is optional. */
  isNeeded: (name: string) => boolean
}

type Choices = {
  dice: Dice
  description: Description
  known: Known
  /** true: only what is required, and ordinary values. false: also optional fields and bounds. */
  isPlain: boolean
}

const MAX_DEPTH = 6
/** Longer texts are rare, because they take most of the time. */
const LONG_TEXT_CHARACTERS = 300

/** A value that the schema allows. */
export function validValue(given: Schema, choices: Choices, name = '', depth = 0): unknown {
  const { dice, description, isPlain } = choices
  const { anyOf } = given
  if (!isPlain && anyOf && dice.chance(0.3)) {
    return validValue(dice.pick(anyOf), choices, name, depth + 1)
  }
  const schema = plainSchema(given, description)
  const known = choices.known.valueOf(name)
  if (known !== undefined) return known
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return isPlain ? schema.enum[0] : dice.pick(schema.enum)
  const types = typesOf(schema)
  if (!isPlain && types.includes('null') && dice.chance(0.15)) return null
  switch (types[0]) {
    case 'object':
      return validObject(schema, choices, depth)
    case 'array':
      return validList(schema, choices, name, depth)
    case 'integer':
      return isPlain ? Math.max(schema.minimum ?? 0, 1) : wholeNumber(schema, dice)
    case 'number':
      return isPlain ? 1 : wholeNumber(schema, dice) + dice.pick([0, 0.5, 1e-9])
    case 'boolean':
      return isPlain ? false : dice.chance(0.5)
    case 'null':
      return null
    default:
      return validText(schema, choices)
  }
}

function validObject(schema: Schema, choices: Choices, depth: number): unknown {
  const { dice, isPlain, known } = choices
  const { properties = {}, required = [], additionalProperties } = schema
  const isWanted = (key: string) =>
    required.includes(key) || (isPlain ? known.isNeeded(key) : dice.chance(0.5))
  const entries = Object.entries(properties)
    .filter(([key]) => isWanted(key))
    .map(([key, property]) => [key, validValue(property, choices, key, depth + 1)] as const)
  const free =
    typeof additionalProperties === 'object' && depth < MAX_DEPTH
      ? Array.from({ length: isPlain ? 1 : dice.below(4) }, (_, i) => [
          isPlain ? 'k' : dice.pick(['k', 'name', 'räksmörgås', '😀', 'a b', `key ${i}`]),
          validValue(additionalProperties, choices, 'value', depth + 1)
        ])
      : []
  return Object.fromEntries([...entries, ...free])
}

function validList(schema: Schema, choices: Choices, name: string, depth: number): unknown[] {
  const { items = {}, minItems = 0, maxItems = 3 } = schema
  const { dice, isPlain } = choices
  const length = isPlain ? Math.max(minItems, 1) : Math.min(minItems + dice.below(4), maxItems)
  return Array.from({ length }, () => validValue(items, choices, singular(name), depth + 1))
}

const singular = (name: string): string => name.replace(/s$/, '')

function wholeNumber({ minimum = -1000, maximum = 1000 }: Schema, dice: Dice): number {
  const near = Math.min(maximum, minimum + dice.below(100))
  return dice.pick([minimum, maximum, near, Math.max(minimum, Math.min(maximum, 1))])
}

/** Texts for the patterns of the description. A new pattern needs a line here. */
const forPattern: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/^\^\[\^\/\+#\]/, 'temperature'],
  [/@/, 'anna@example.com'],
  [/^\^\(\?!\[0-9a-fA-F\]/, '1.0.0'],
  [/^\^\[\^\\u0000-\\u001f/, '+46701234567'],
  [/^\^\(\[!-~\]/, 'secret'],
  [/^\^\[ -~\]/, 'text/plain'],
  [/^\^\[0-9a-f\]\{64\}/, 'f'.repeat(64)]
]

const words = ['a', 'Hall', 'x y', 'Ärligt', '温度', '😀😀', "O'Brien", 'a/b', '50%', '<b>', '\\']

function validText({ pattern, minLength = 0, maxLength = 1000 }: Schema, choices: Choices): string {
  const { dice, isPlain } = choices
  if (pattern !== undefined) {
    const found = forPattern.find(([known]) => known.test(pattern))
    if (!found) throw new Error(`test/fuzz/values.ts has no text for the pattern ${pattern}`)
    return found[1]
  }
  if (isPlain) return 'text'.slice(0, maxLength)
  const isAtBound = dice.chance(0.2) && (maxLength <= LONG_TEXT_CHARACTERS || dice.chance(0.05))
  if (isAtBound) return 'x'.repeat(dice.chance(0.5) ? minLength : maxLength)
  const text = dice.pick(words)
  return text.length >= minLength && text.length <= maxLength ? text : 'x'.repeat(minLength)
}
