import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compileMapping } from '../../src/lib/mapping/mapping.ts'
import { MappedMessage } from '../../src/lib/mapping/message.ts'
import { unixMs } from '../../src/lib/unix-time.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type Node = { keys: string[]; found: Json }

const keys = ['a', 'b', 'a.b', '*', '0', '1', '__proto__', 'constructor', 'x/y', '', 'å\\']
const key = fc.constantFrom(...keys)
const leaf = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 'ON', 'OFF', 'x', '', '12.5', '0x10', ' 7 ', '-0', '01'),
  fc.integer({ min: -1000, max: 1000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true })
)
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(key, tie('json'), { maxKeys: 4, noNullPrototype: true })
  )
}))
const pattern = fc.array(fc.oneof(key.filter(Boolean), fc.constant(undefined)), { maxLength: 4 })

/** Every place in the message with the keys that lead there, in order. */
function* nodesOf(found: Json, keys: string[] = []): Generator<Node> {
  yield { keys, found }
  if (typeof found !== 'object' || found === null) return
  for (const [key, inner] of Object.entries(found)) yield* nodesOf(inner, [...keys, key])
}

function numberOf(found: Json, table: Map<string, number>): number | undefined {
  if (found !== null && typeof found !== 'object') {
    const word = String(found)
    if (table.has(word)) return table.get(word)
  }
  if (typeof found === 'boolean') return found ? 1 : 0
  if (typeof found === 'number') return found
  if (typeof found !== 'string') return undefined
  if (/\s/.test(found)) return undefined
  try {
    const inner: unknown = JSON.parse(found)
    return typeof inner === 'number' ? inner : undefined
  } catch {
    return undefined
  }
}

/** The slow way: look at all places of the message, and compare each with the path. */
function expected(message: Json, path: (string | undefined)[], table: Map<string, number>) {
  const values: { topic: string; value: number }[] = []
  for (const { keys, found } of nodesOf(message)) {
    const isHere =
      keys.length === path.length && path.every((one, i) => one === undefined || one === keys[i])
    if (!isHere) continue
    const number = numberOf(found, table)
    if (number === undefined && path.length > 0 && path.at(-1) === undefined) continue
    const value = (number ?? Number.NaN) * 2 + 1
    if (!Number.isFinite(value)) return 'refused'
    const met = keys.filter((_, i) => path[i] === undefined)
    const levels = met.map((one) => (one === '' ? '_' : one.replaceAll('/', '_')))
    values.push({ topic: ['obj/t', ...levels].join('/'), value })
  }
  return values
}

test('a mapping reads what a slow reader reads', () => {
  const escaped = (one: string | undefined) =>
    one === undefined ? '*' : one.replace(/[.\\*]/g, (character) => `\\${character}`)
  fc.assert(
    fc.property(json, pattern, fc.boolean(), (message, path, hasTable) => {
      const words: Record<string, number> = hasTable ? { ON: 1, OFF: 0, true: 9, '7': 70 } : {}
      const stars = path.filter((one) => one === undefined)
      const mapping = compileMapping({
        make: '',
        filter: '+/#',
        values: [
          {
            path: path.map(escaped).join('.'),
            topic: ['obj/t', ...stars.map((_, i) => `{*${i + 1}}`)].join('/'),
            ...{ table: words, factor: 2, offset: 1, unit: '', timestamp: null }
          }
        ]
      })
      assert.ok(!('what' in mapping), JSON.stringify(mapping))
      const sent = Buffer.from(JSON.stringify(message))
      const outcome = mapping.read(
        new MappedMessage('dev/x', sent, { arrival: unixMs(1e12), zone: 'UTC' })
      )
      const got = outcome?.refused.length
        ? 'refused'
        : outcome?.values.map(({ topic, value }) => ({ topic, value }))
      const same: Json = JSON.parse(sent.toString())
      assert.deepEqual(got, expected(same, path, new Map(Object.entries(words))))
    }),
    { numRuns: 3000 }
  )
})
