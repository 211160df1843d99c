import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  answerOfCaracal,
  answerOfInflux,
  answerOfVictoria,
  assertSame
} from '../../bench/answers.ts'
import { DAY } from '../../src/lib/unix-time.ts'

const [from, step] = [Date.UTC(2025, 0), DAY]
/** By topic: the values of two days. */
const values = [
  [20.5, 0.1],
  [-3, 1e6]
] as const
const begins = [from, from + step]

const caracalText = () => {
  const data = values.flatMap((ofTopic, topic) =>
    ofTopic.map((value, day) => ({
      ...{ topic: `7/obj/room_${topic}/temperature`, timestamp: (begins[day] ?? 0) / 1000, value }
    }))
  )
  return JSON.stringify({ count: data.length, total: data.length, data: data.reverse() })
}
const influxText = (series: readonly (readonly number[])[] = values) =>
  JSON.stringify({
    results: [
      {
        series: series.map((ofTopic, topic) => ({
          tags: { t: String(topic) },
          values: ofTopic.map((value, day) => [begins[day], value])
        }))
      }
    ]
  })

test('answers of Caracal and its peers are the same', () => {
  const ours = answerOfCaracal([caracalText()])
  assertSame('grouped by the topic', ours, answerOfInflux(influxText()))
  const byStatement = values.map((ofTopic) => ({
    series: [{ values: ofTopic.map((value, day) => [begins[day], value]) }]
  }))
  const statements = answerOfInflux(JSON.stringify({ results: byStatement }))
  assertSame('a statement for each topic', ours, statements)
  for (const early of [1, 2]) {
    const result = values.map((ofTopic, topic) => ({
      metric: { t: String(topic) },
      values: ofTopic.map((value, day) => [
        ((begins[day] ?? 0) + step - early) / 1000,
        String(value)
      ])
    }))
    const theirs = answerOfVictoria(JSON.stringify({ data: { result } }), { from, step })
    assertSame('at the end of a step', ours, theirs)
  }
})

test('an answer that differs is refused', () => {
  const ours = answerOfCaracal([caracalText()])
  const f = (series: readonly (readonly number[])[], expected: RegExp) =>
    assert.throws(() => assertSame('mean', ours, answerOfInflux(influxText(series))), expected)

  f([[20.5, 0.1]], /2 topics with 4 rows, the peer has 1 with 2/)
  f([[20.5, 0.1], [-3]], /2 topics with 4 rows, the peer has 2 with 3/)
  f(
    [
      [20.5, 0.1],
      [-3, 1e6 + 0.01]
    ],
    /mean, topic 1 at 2025-01-02T00:00:00.000Z: 1000000, the peer has 1000000.01/
  )
  assert.throws(() => assertSame('empty', new Map(), new Map()), /0 topics/)
  const cut = caracalText().replace('"total":4', '"total":5')
  assert.throws(() => answerOfCaracal([cut]), /a page has 4 of 5 rows/)
  const refused = JSON.stringify({ results: [{ error: 'no' }] })
  assert.throws(() => answerOfInflux(refused), /InfluxDB: no/)
})
