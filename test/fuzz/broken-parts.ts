import { type Breakage, breakagesOf, MISSING, sitesOf, valueAt, withValue } from './breakages.ts'
import { type Description, type Operation, type Parameter, plainSchema } from './description.ts'
import type { Dice } from './dice.ts'
import type { Setting } from './known.ts'
import { wrongSegments, wrongTexts } from './wire.ts'

/** A request before it is written. Path and query are encoded. */
export type Parts = {
  path: Record<string, string>
  query: [name: string, value: string][]
  body: unknown
  text: { type: string; text: string } | undefined
}

/** Parts of a request after something was broken, and what. */
export type Broken = { what: string; isForbidden: boolean; parts: Parts; isRerouted?: boolean }

/** One value of the request is wrong. */
export function brokenSite(parts: Parts, setting: Setting, description: Description): Broken {
  const { operation, dice } = setting
  const sites = bodySites(operation, description)
  const { parameters } = operation
  if (sites.length > 0 && (parameters.length === 0 || dice.chance(0.6))) {
    const { keys, schema } = dice.pick(sites)
    const sample = valueAt(parts.body, keys)
    const breakage = dice.pick(breakagesOf(schema, description, sample))
    return brokenBody(parts, keys, breakage)
  }
  if (parts.text) return brokenText(parts, parts.text, dice)
  if (parameters.length === 0) return { what: 'valid', isForbidden: false, parts }
  return brokenParameter(parts, dice.pick(parameters), dice, description)
}

function brokenBody(parts: Parts, keys: (string | number)[], breakage: Breakage): Broken {
  const { what, isForbidden = false } = breakage
  const value = breakage.value()
  const body =
    keys.length === 0 && value === MISSING ? undefined : withValue(parts.body, keys, value)
  const name = ['body', ...keys].join('.')
  return { what: `${name}: ${what}`, isForbidden, parts: { ...parts, body } }
}

/** Files with parts that are missing, cut off or in disorder. */
function brokenText(
  parts: Parts,
  { type, text }: { type: string; text: string },
  dice: Dice
): Broken {
  const at = dice.below(text.length)
  const wrong = dice.pick([
    text.slice(0, at),
    text.slice(at),
    text.slice(0, at) + '\0'.repeat(dice.below(5)) + text.slice(at),
    text.slice(0, at) + 'x'.repeat(70_000) + text.slice(at),
    text + text,
    text.replaceAll('\n', '\r'),
    text.replaceAll(',', ';'),
    text.replaceAll('"', ''),
    text.replace(/\d{10}/, dice.pick(['1e400', '-1', 'NaN', '99999999999999', '2020-01-01'])),
    text.replace('name="', 'name="../../'),
    text.replace('filename="f"', `filename="${'../'.repeat(50)}\u0000;\\"`),
    ''
  ])
  const what = `file: ${JSON.stringify(wrong.slice(0, 40))}`
  return { what, isForbidden: false, parts: { ...parts, text: { type, text: wrong } } }
}

function brokenParameter(
  parts: Parts,
  parameter: Parameter,
  dice: Dice,
  description: Description
): Broken {
  const { name } = parameter
  const schema = plainSchema(parameter.schema, description)
  if (parameter.in === 'path') {
    const texts = wrongTexts(parts.path[name] ?? '')
    const isRerouted = dice.chance(0.1)
    const list = isRerouted ? wrongSegments : texts
    const what = dice.pick(Object.keys(list))
    const value = list[what] ?? ''
    const path = { ...parts.path, [name]: value }
    const isOther = isRerouted || value === '' || value === '%2e%2e'
    return {
      what: `${name}: ${what}`,
      isForbidden: false,
      parts: { ...parts, path },
      isRerouted: isOther
    }
  }
  const old = parts.query.find(([known]) => known === name)?.[1] ?? '1'
  const others = parts.query.filter(([known]) => known !== name)
  const texts: Record<string, [string, string][]> = Object.fromEntries(
    Object.entries(wrongTexts(old)).map(([what, text]) => [what, [[name, text]]])
  )
  const { minimum, maximum = Number.MAX_SAFE_INTEGER, maxLength } = schema
  const forbidden: typeof texts = {
    ...(minimum !== undefined && { 'below the minimum': [[name, String(minimum - 1)]] }),
    ...(maximum < 1e12 && { 'above the maximum': [[name, String(maximum + 1)]] }),
    ...(maxLength && { 'too long': [[name, 'a'.repeat(maxLength + 1)]] }),
    ...(schema.enum && { 'not in the list': [[name, 'something']] })
  }
  const repeated: typeof texts = {
    twice: [
      [name, old],
      [name, old]
    ],
    'twice, and one is wrong': [
      [name, old],
      [name, '%F0%9F%98%80']
    ],
    often: Array.from({ length: 300 }, () => [name, old]),
    'as a list': [[`${name}[]`, old]],
    'with an index': [[`${name}[0]`, old]],
    'as an object': [[`${name}[a]`, old]],
    'with a point': [[`${name}.a`, old]]
  }
  const isForbidden = Object.keys(forbidden).length > 0 && dice.chance(0.3)
  const list = isForbidden ? forbidden : dice.chance(0.3) ? repeated : texts
  const what = dice.pick(Object.keys(list))
  const query = [...others, ...(list[what] ?? [])]
  return { what: `${name}: ${what}`, isForbidden, parts: { ...parts, query } }
}

/** About half of the values are wrong. */
export function brokenEverywhere(parts: Parts, setting: Setting, description: Description): Broken {
  const { operation, dice } = setting
  let done: Broken = { what: 'much', isForbidden: false, parts }
  const note = (next: Broken) => {
    done = { ...next, isForbidden: false, what: `${done.what}; ${next.what}` }
  }
  for (const parameter of operation.parameters) {
    if (parameter.in === 'path' || dice.chance(0.5)) continue
    note(brokenParameter(done.parts, parameter, dice, description))
  }
  for (const { keys, schema } of bodySites(operation, description)) {
    if (keys.length === 0 || dice.chance(0.5)) continue
    const sample = valueAt(done.parts.body, keys)
    // Many large values together would only be a body that is too large.
    const all = breakagesOf(schema, description, sample)
    const small = all.filter(({ isLarge }) => !isLarge)
    note(brokenBody(done.parts, keys, dice.pick(small)))
  }
  return done
}

const sites = new WeakMap<Operation, ReturnType<typeof sitesOf>>()

function bodySites(operation: Operation, description: Description): ReturnType<typeof sitesOf> {
  const { body } = operation
  if (body?.type !== 'application/json') return []
  const found = sites.get(operation) ?? sitesOf(body.schema, description)
  sites.set(operation, found)
  return found
}
