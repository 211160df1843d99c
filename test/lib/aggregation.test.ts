import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  defaultInterval,
  type Interval,
  isNoInterval,
  type Method,
  parseInterval,
  parseMethod,
  parseMethods
} from '../../src/lib/aggregation.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/unix-time.ts'

test('parseMethod', () => {
  const f = (text: string, want: Method | undefined) =>
    assert.deepEqual(parseMethod(text), want, text)

  for (const name of ['count', 'first', 'last', 'spread', 'max', 'min', 'sum', 'stddev'] as const) {
    f(name, { name })
  }
  f('median', { name: 'median' })
  f('avg', { name: 'avg' })
  f('mean', { name: 'avg' })
  f('percentile', { name: 'percentile', x: 50 })
  f('percentile()', { name: 'percentile', x: 50 })
  f('percentile(99.9)', { name: 'percentile', x: 99.9 })
  f('percentile( 5 )', { name: 'percentile', x: 5 })
  f('percentile(0)', { name: 'percentile', x: 0 })
  f('percentile(100)', { name: 'percentile', x: 100 })
  f('integral', { name: 'integral', x: 1 })
  f('integral(3600)', { name: 'integral', x: 3600 })
  f('integral(0.5)', { name: 'integral', x: 0.5 })
  const bad =
    'percentile(101),percentile(-1),percentile(x),percentile(5,percentile(1e1),integral(0)'
  for (const text of [...bad.split(','), 'max()', 'avg(1)', 'AVG', 'total', '', 'constructor']) {
    f(text, undefined)
  }
})

test('parseMethods', () => {
  const f = (text: string, want: string[] | undefined) =>
    assert.deepEqual(
      parseMethods(text)?.map(({ text, method }) => `${text} ${method.name}`),
      want,
      text
    )

  f('mean', ['mean avg'])
  f('mean, min,max', ['mean avg', 'min min', 'max max'])
  f('percentile(5),percentile(95)', ['percentile(5) percentile', 'percentile(95) percentile'])
  for (const text of ['', ',', 'mean,', 'mean,mean', 'mean,bad', 'sum,min,max,mean,count']) {
    f(text, undefined)
  }
})

test('parseInterval', () => {
  const f = (text: string, want: Interval | number | undefined) =>
    assert.deepEqual(parseInterval(text), typeof want === 'number' ? { ms: want } : want, text)

  f('1s', SECOND)
  f('10m', 10 * MINUTE)
  f('6h', 6 * HOUR)
  f('1h0m0s', HOUR)
  f('24h0m0s', DAY)
  f('1m30s', 90 * SECOND)
  f('0h10m0s', 10 * MINUTE)
  f('1.5h', 90 * MINUTE)
  f('500ms', 500)
  f('1d12h', 36 * HOUR)
  f('1d', { unit: 'd', count: 1 })
  f('3653d', { unit: 'd', count: 3653 })
  f('14d', { unit: 'd', count: 14 })
  f('2w', { unit: 'w', count: 2 })
  f('3mo', { unit: 'mo', count: 3 })
  for (const text of ['', '1', 'm', '-1m', '1 m', '1y', '0s', '0d', '1mo1d', '0.1ms', '1e3s']) {
    f(text, undefined)
  }
  for (const text of ['99999999d', '3654d', '131mo', '99999999999999h', `${'9'.repeat(400)}s`]) {
    f(text, undefined)
  }
})

test('isNoInterval', () => {
  const f = (text: string, want: boolean) => assert.equal(isNoInterval(text), want, text)
  for (const text of ['', '0', '0s', '0m', '0h0m0s', '0.0s', '0d']) f(text, true)
  for (const text of ['1s', '0s1', '10m', 'x', '0x']) f(text, false)
})

test('defaultInterval follows the time spans of the contract, including their ends', () => {
  const f = (span: number, want: number) => assert.deepEqual(defaultInterval(span), { ms: want })
  f(0, MINUTE)
  f(2 * DAY, MINUTE)
  f(2 * DAY + 1, 10 * MINUTE)
  f(27 * DAY, 10 * MINUTE)
  f(27 * DAY + 1, HOUR)
  f(364 * DAY, HOUR)
  f(364 * DAY + 1, 6 * HOUR)
})
