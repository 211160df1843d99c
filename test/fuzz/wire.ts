import { gzipSync } from 'node:zlib'
import type { Dice } from './dice.ts'

/** A request as it is sent. */
export type Wire = {
  method: string
  /** Path and query, encoded. */
  path: string
  headers: Record<string, string>
  body: Buffer | undefined
  /** The connection ends in the middle of the body. */
  isCut?: boolean
  /** Another operation may answer, or none. */
  isRerouted?: boolean
}

type Change = (wire: Wire, dice: Dice) => Partial<Wire>

const MEBIBYTE = 1024 * 1024
const json = { 'content-type': 'application/json' }
const withBody = (text: string | Buffer): Change => {
  const body = Buffer.from(text)
  return ({ headers }) => ({ headers: { ...headers, ...json }, body })
}
const withType = (type: string): Change => {
  return ({ headers }) => ({ headers: { ...headers, 'content-type': type } })
}
const withQuery = (query: string): Change => {
  return ({ path }) => ({ path: `${path}${path.includes('?') ? '&' : '?'}${query}` })
}
const withHeader = (name: string, value: string): Change => {
  return ({ headers }) => ({ headers: { ...headers, [name]: value } })
}
const nested = (open: string, close: string, depth: number, core = ''): string =>
  open.repeat(depth) + core + close.repeat(depth)

const text = ({ body }: Wire): string => body?.toString() ?? '{}'

/** Ways to break a request that do not concern one field. */
const changes: Readonly<Record<string, Change>> = {
  'type text/plain': withType('text/plain'),
  'type XML': withType('application/xml'),
  'type form': withType('application/x-www-form-urlencoded'),
  'type multipart without boundary': withType('multipart/form-data'),
  'type multipart with another boundary': withType('multipart/form-data; boundary=other'),
  'type with UTF-16': withType('application/json; charset=utf-16'),
  'type garbage': withType('garbage;;;=,/'),
  'type twice': withType('application/json, text/plain'),
  'type empty': withType(''),
  'JSON that ends early': (wire) => ({ body: Buffer.from(text(wire).slice(0, -1)) }),
  'JSON with more behind it': (wire) => ({ body: Buffer.from(`${text(wire)}}`) }),
  'JSON with a BOM': (wire) => ({ body: Buffer.from(`\ufeff${text(wire)}`) }),
  'JSON in UTF-16': (wire) => ({ body: Buffer.from(text(wire), 'utf16le') }),
  'JSON with invalid UTF-8': withBody(Buffer.from('{"name":"\u00ff\u00c0\u0080"}', 'latin1')),
  'JSON with fields twice': withBody('{"name":"a","name":{"b":1},"type":"t","type":null}'),
  'single quotes': withBody("{'name': 'x'}"),
  NaN: withBody('{"value":NaN}'),
  'body null': withBody('null'),
  'body empty': withBody(''),
  'body of spaces': withBody('   \n'),
  'body a list': withBody('[]'),
  'body a list of lists': withBody('[[],[[]]]'),
  'body a text': withBody('"text"'),
  'body a number': withBody('0'),
  'body false': withBody('false'),
  'body an empty object': withBody('{}'),
  'names of prototypes': withBody(
    '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},"name":"x","type":"t"}'
  ),
  'deep lists': withBody(nested('[', ']', 5000)),
  'deep objects': withBody(nested('{"config":', '}', 5000, '1')),
  'a deep field': withBody(`{"name":"x","config":${nested('{"a":', '}', 4000, '1')}}`),
  'too deep': withBody(nested('[', ']', 60_000)),
  'many fields': withBody(
    JSON.stringify(Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`f${i}`, i])))
  ),
  'a large number of entries': withBody(`[${'1,'.repeat(25_000)}1]`),
  'a body too large': withBody(`{"name":"${'x'.repeat(MEBIBYTE)}"}`),
  'GZIP that is none': (wire) => ({
    headers: { ...wire.headers, 'content-encoding': 'gzip' },
    body: Buffer.from('not compressed')
  }),
  GZIP: (wire) => ({
    headers: { ...wire.headers, 'content-encoding': 'gzip' },
    body: gzipSync(text(wire))
  }),
  'an unknown encoding': withHeader('content-encoding', 'br, x-unknown'),
  'a body that ends early': ({ headers }) => ({
    headers: { ...headers, ...json },
    body: Buffer.from('{"name": "the rest does not arr'),
    isCut: true
  }),
  'an unknown parameter': withQuery('unknown_one=1'),
  'parameter __proto__': withQuery('__proto__=1&constructor=2&toString=3'),
  'parameters of prototypes': withQuery('__proto__[x]=1&a[__proto__][y]=2'),
  'a parameter without name': withQuery('=1&&&=&?'),
  'many parameters': withQuery(Array.from({ length: 1500 }, (_, i) => `p${i}=${i}`).join('&')),
  'a broken percent': withQuery('a=%&b=%zz&%=1'),
  'bytes that are not UTF-8': withQuery('a=%ff%fe&b=%c0%ae'),
  'a path that is too long': ({ path }) => ({
    path: `${path}/${'a'.repeat(70_000)}`,
    isRerouted: true
  }),
  'a long path': ({ path }) => ({ path: `${path}/${'a'.repeat(20_000)}`, isRerouted: true }),
  'a query that is too long': withQuery(`a=${'b'.repeat(66_000)}`),
  'more slashes': ({ path }) => ({ path: path.replaceAll('/', '//'), isRerouted: true }),
  'a slash at the end': ({ path }) => ({ path: path.replace(/(\?|$)/, '/$1') }),
  'a path in capitals': ({ path }) => ({ path: path.toUpperCase(), isRerouted: true }),
  'a path with dots': ({ path }) => ({ path: `/x/..${path}`, isRerouted: true }),
  'a semicolon': ({ path }) => ({ path: path.replace(/(\?|$)/, ';x=1$1'), isRerouted: true }),
  'a fragment': ({ path }) => ({ path: `${path}#x`, isRerouted: true }),
  'another method': (_, dice) => ({
    method: dice.pick(['PATCH', 'HEAD', 'OPTIONS', 'PROPFIND', 'TRACE']),
    isRerouted: true
  }),
  'headers too large': withHeader('x-large', 'x'.repeat(100_000)),
  'other accepted types': withHeader('accept', 'image/webp, */*;q=0'),
  'a range': withHeader('range', 'bytes=5-2,99999999999999999999-'),
  conditions: withHeader('if-none-match', '*'),
  'a host of nobody': withHeader('host', 'evil.example:99999'),
  'an address of nobody': withHeader('x-forwarded-for', 'unknown, ::ffff:999.1.1.1, "'),
  'a continuation': withHeader('expect', '100-continue'),
  'two sign-ins': withHeader('authorization', 'Bearer wrong'),
  'a sign-in in Latin-1': withHeader('x-api-key', 'ÿþ\u00a0')
}

export function broken(wire: Wire, dice: Dice): { what: string; wire: Wire } {
  const what = dice.pick(Object.keys(changes))
  return { what, wire: { ...wire, ...changes[what]?.(wire, dice) } }
}

/** Wrong texts in a path or a query, already encoded. `valid` is the encoded value that fits. */
export const wrongTexts = (valid: string): Record<string, string> => ({
  empty: '',
  negative: '-1',
  zero: '0',
  'a fraction': '1.5',
  'a number with exponent': '1e3',
  'over the safe integers': '9007199254740993',
  'more than 64 bits': '99999999999999999999999',
  infinite: '1e400',
  'minus infinite': '-1e400',
  NaN: 'NaN',
  null: 'null',
  undefined: 'undefined',
  'a boolean': 'true',
  NUL: '%00',
  'NUL inside': `${valid}%00`,
  'a lone surrogate': '%ED%A0%80',
  'an emoji': '%F0%9F%98%80',
  'overlong UTF-8': '%C0%AF',
  'traversal with encoded slashes': '..%2F..%2F..%2Fetc%2Fpasswd',
  'traversal with backslashes': '..%5C..%5Cetc',
  'encoded dots': '%2e%2e',
  'encoded twice': '%252e%252e%252f',
  'a broken percent': '%',
  'another broken percent': '%zz',
  'a percent cut off': `${valid}%4`,
  'a line break': '%0d%0aX-Injected:%201',
  SQL: "'%20OR%201=1%20--",
  'an object': '%7B%22a%22%3A1%7D',
  'a prototype': '__proto__',
  'another prototype': 'constructor',
  hexadecimal: '0x10',
  'with a plus': '+5',
  'with a space': `${valid}%20`,
  'with a zero in front': `0${valid}`,
  'with a point': `${valid}.0`,
  commas: ',,,',
  'a list': `${valid},${valid},x`,
  long: 'a'.repeat(300),
  'very long': 'a'.repeat(5000),
  wildcards: '%25_*%23+',
  'right to left': '%E2%80%AE%EF%BB%BF'
})

/** Only in a path: they lead to another operation. */
export const wrongSegments: Readonly<Record<string, string>> = {
  dots: '..',
  'a dot': '.',
  'a slash': 'a/b',
  'a traversal': '../../../docs/openapi.json'
}
