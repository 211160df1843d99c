import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { boundaryOf, readMultipart } from '../../src/http/multipart.ts'

type Read = { name: string; filename: string | undefined; type: string; text: string }

async function read(chunks: Iterable<Buffer>, boundary = 'x', maxParts = 10): Promise<Read[]> {
  const parts: Read[] = []
  for await (const part of readMultipart(chunks, { boundary, maxParts })) {
    const bytes: Buffer[] = []
    for await (const chunk of part.content) bytes.push(chunk)
    const { content: _, ...head } = part
    parts.push({ ...head, text: Buffer.concat(bytes).toString('latin1') })
  }
  return parts
}

const one = (text: string) => [Buffer.from(text, 'latin1')]
const head = (name: string) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n`

test('boundaryOf', () => {
  const f = (type: string | undefined, want: string | undefined) =>
    want === undefined
      ? assert.throws(() => boundaryOf(type), /body must be multipart\/form-data/)
      : assert.equal(boundaryOf(type), want)

  f('multipart/form-data; boundary=abc', 'abc')
  f('Multipart/Form-Data; charset=utf-8; Boundary="a b"', 'a b')
  f('multipart/form-data;boundary=a;x=y', 'a')
  f('multipart/form-data', undefined)
  f('multipart/form-data; boundary=', undefined)
  f('multipart/mixed; boundary=a', undefined)
  f('application/json', undefined)
  f('', undefined)
  f(undefined, undefined)
})

test('readMultipart accepts parts as clients write them', async () => {
  const f = async (text: string, want: Partial<Read>[]) => {
    const parts = await read(one(text))
    assert.deepEqual(
      parts.map((part, i) => ({ ...part, ...want[i] })),
      parts,
      JSON.stringify(text)
    )
    assert.equal(parts.length, want.length, JSON.stringify(text))
  }

  await f(`${head('a')}1\r\n--x--\r\n`, [{ name: 'a', filename: undefined, type: '', text: '1' }])
  await f(`${head('a')}\r\n--x--`, [{ text: '' }])
  await f(`preamble\r\n${head('a')}1\r\n${head('b')}\r\n2\r\n\r\n--x--\r\nepilogue`, [
    { name: 'a', text: '1' },
    { name: 'b', text: '\r\n2\r\n' }
  ])
  await f('--x  \r\nContent-Type: a/b\r\n\r\n1\r\n--x--', [{ name: '', type: 'a/b', text: '1' }])
  await f('--x\r\n\r\nbare\r\n--x--', [{ name: '', text: 'bare' }])
  await f('--x--', [])
  await f(`${'p'.repeat(4094)}\r\n--x--`, [])
})

test('readMultipart refuses an incomplete body', async () => {
  const f = (text: string, message = /not valid multipart/) =>
    assert.rejects(read(one(text)), message, JSON.stringify(text))

  await f('')
  await f('--x')
  await f('--y--')
  await f(`${head('a')}1`)
  await f(`${head('a')}1\r\n--xy\r\n\r\n--x--`)
  await f('--x\r\ncontent-disposition: form-data')
  await f(`${'p'.repeat(4097)}\r\n--x--`)
  await f(`--x\r\n${'a: b\r\n'.repeat(5000)}\r\n1\r\n--x--`)
  await f(`${`${head('a')}1\r\n`.repeat(11)}--x--`, /at most 10 parts/)
})

test('readMultipart skips parts that nobody reads', async () => {
  const names: string[] = []
  const body = one(`${head('a')}1\r\n${head('b')}2\r\n--x--`)
  for await (const { name } of readMultipart(body, { boundary: 'x', maxParts: 9 })) names.push(name)
  assert.deepEqual(names, ['a', 'b'])
})

test('readMultipart gives the same result however the body is divided into chunks', async () => {
  const content = fc.oneof(
    fc.string({ unit: 'binary-ascii' }),
    // Almost a boundary.
    fc
      .array(fc.constantFrom('\r', '\n', '-', '--', '--x', 'x', '\r\n--', '\r\n-x'), {
        maxLength: 20
      })
      .map((parts) => parts.join(''))
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(content, { maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 50 }),
      async (texts, cuts) => {
        const isClean = texts.every((text) => !`\r\n${text}\r\n--`.includes('\r\n--x'))
        if (!isClean) return
        const body = `${texts.map((text, i) => `${head(`${i}`)}${text}\r\n`).join('')}--x--\r\n`
        const bytes = Buffer.from(body, 'latin1')
        const chunks: Buffer[] = []
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const length = cuts[i % cuts.length] ?? 1
          chunks.push(bytes.subarray(at, at + length))
          at += length
        }
        const parts = await read(chunks)
        assert.deepEqual(
          parts.map(({ text }) => text),
          texts
        )
      }
    )
  )
})
