import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LineForm, lineHeader, lineTopic, sampleLine } from '../../src/lib/sample-lines.ts'
import { unixMs } from '../../src/lib/unix-time.ts'

test('sampleLine', () => {
  const f = (form: LineForm, topic: string, value: number, msg: string, want: string) =>
    assert.equal(
      sampleLine(form, lineTopic(form, topic), { timestamp: unixMs(1500), value, msg }),
      want
    )

  f('csv', '7/obj/a', 21.5, '', '1.5,obj/a,21.5,\n')
  f('csv', '7/obj/a', 1e-7, 'x y', '1.5,obj/a,0.0000001,x y\n')
  f('csv', '7/obj/a,b', 1e21, 'a "b"', '1.5,"obj/a,b",1000000000000000000000,"a ""b"""\n')
  f('csv', '7/obj/a', -1, 'a\r\nb', '1.5,obj/a,-1,"a\r\nb"\n')
  f('csv', '7/obj/a', 0, '=HYPERLINK(1)', '1.5,obj/a,0,=HYPERLINK(1)\n')
  f('ndjson', '7/obj/a', 21.5, '', '{"timestamp":1.5,"topic":"obj/a","value":21.5,"msg":""}\n')
  f(
    'ndjson',
    '7/obj/"a"',
    1e21,
    'a\nb',
    '{"timestamp":1.5,"topic":"obj/\\"a\\"","value":1000000000000000000000,"msg":"a\\nb"}\n'
  )
  assert.equal(lineHeader('csv'), 'timestamp,topic,value,msg\n')
  assert.equal(lineHeader('ndjson'), '')
})
