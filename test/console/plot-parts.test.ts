import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { csvOf } from '../../console/src/plot/csv.ts'
import { askedSpan, intervalFor } from '../../console/src/plot/interval.ts'
import {
  extended,
  gapTimes,
  joined,
  lineOf,
  type Point,
  pointAt,
  pointOf,
  statisticsOf
} from '../../console/src/plot/lines.ts'
import { looksOf, palette } from '../../console/src/plot/palette.ts'
import {
  changed,
  MAX_TOPICS,
  rangeAround,
  readPlotSearch,
  weeksBefore,
  weeksLater
} from '../../console/src/plot/range.ts'
import {
  instantOf,
  isoText,
  readWallText,
  tickLabels,
  tickStep,
  timeTicks,
  wallText
} from '../../console/src/plot/zone.ts'
import { contrast, distance, eyes } from './eyes.ts'

const ZONE = 'Europe/Stockholm'
const HOUR = 3600
const DAY = 24 * HOUR
const at = (text: string) => Date.parse(text)
const raw = (...times: number[]): Point[] => times.map((time) => pointOf({ time, value: time }))

describe('the interval of a plot', () => {
  for (const [span, width, text] of [
    [HOUR, 1000, '10s'],
    [DAY, 1000, '180s'],
    [7 * DAY, 1000, '1200s'],
    [365 * DAY, 1000, '1d'],
    [365 * DAY, 300, '2d'],
    [5 * 365 * DAY, 1000, '1w'],
    [1, 1000, '2ms'],
    [30 * 365 * DAY, 200, '12mo']
  ] as const) {
    test(`is ${text} for ${span} s on ${width} pixels`, () => {
      assert.equal(intervalFor({ from: 0, to: span }, width).text, text)
    })
  }

  test('never gives more points than 1.5 pixels each, and asks for a little more than is seen', () => {
    for (let span = 1; span < 10 * 365 * DAY; span *= 1.7) {
      const view = { from: 1e9, to: 1e9 + span }
      const interval = intervalFor(view, 1200)
      assert(span / interval.seconds <= 800)
      const asked = askedSpan(view, interval)
      assert(asked.from < view.from && asked.to > view.to)
      assert(asked.to - asked.from <= span * 1.1 + 4 * interval.seconds)
    }
  })
})

describe('the address of a plot', () => {
  for (const [name, given, read] of [
    ['nothing', {}, {}],
    ['one topic as text', { topics: 'obj/a' }, { topics: ['obj/a'] }],
    [
      'what is no topic',
      { topics: ['obj/a', 5, '', 'obj/#', '+/b', 'obj/a'] },
      { topics: ['obj/a'] }
    ],
    ['an end before its begin', { from: 9, to: 3, last: 60 }, { last: 60 }],
    ['words', { last: 'day', from: 'x', to: {}, compare: 'yes' }, {}],
    ['numbers that are none', { last: Number.NaN, from: -1, to: 1e20 }, {}],
    [
      'a good range',
      { from: 10, to: 20, last: 60, compare: true },
      { from: 10, to: 20, compare: true }
    ]
  ] as const) {
    test(`with ${name}`, () => {
      const nothing = { topics: undefined, last: undefined, from: undefined, to: undefined }
      assert.deepEqual(readPlotSearch(given), { ...nothing, compare: undefined, ...read })
    })
  }

  test(`has at most ${MAX_TOPICS} topics`, () => {
    const topics = Array.from({ length: 50 }, (_, i) => `obj/${i}`)
    assert.equal(readPlotSearch({ topics }).topics?.length, MAX_TOPICS)
  })
})

describe('moving and zooming', () => {
  test('zoom keeps the middle, and stops at a second', () => {
    assert.deepEqual(changed({ from: 100, to: 200 }, { zoom: 0.5 }), { from: 125, to: 175 })
    assert.deepEqual(changed({ from: 100, to: 101 }, { zoom: 0.5 }), { from: 100, to: 101 })
  })

  test('a range that reaches the present follows it', () => {
    assert.deepEqual(rangeAround({ from: 1000, to: 2000 }, 1500), { last: 1000 })
    assert.deepEqual(rangeAround({ from: 1000.4, to: 2000.2 }, 5000), { from: 1000, to: 2000 })
    assert.deepEqual(rangeAround({ from: 10.1234, to: 20 }, 5000), { from: 10.123, to: 20 })
  })

  for (const [days, weeks] of [
    [0.1, 1],
    [7, 1],
    [8, 2],
    [30, 5],
    [90, 52],
    [365, 52],
    [800, 115]
  ] as const) {
    test(`${days} days are compared with ${weeks} weeks before`, () => {
      assert.equal(weeksBefore({ from: 0, to: days * DAY }), weeks)
    })
  }

  test('a week later is the same time of day, also when the clock changed', () => {
    const before = at('2026-10-20T08:00:00+02:00') / 1000
    assert.equal(weeksLater(ZONE, before, 1), at('2026-10-27T08:00:00+01:00') / 1000)
    assert.equal(weeksLater(ZONE, weeksLater(ZONE, before, 1), -1), before)
  })
})

describe('gaps', () => {
  const gapsOf = (points: Point[], seconds = 0, isState = false) =>
    gapTimes(lineOf(points, seconds, isState))

  test('a pause of more than three intervals is a gap', () => {
    assert.deepEqual(gapsOf(raw(0, 60, 120, 300, 360), 60), [])
    assert.deepEqual(gapsOf(raw(0, 60, 120, 301, 361), 60), [210.5])
  })

  test('raw: a pause of more than three usual distances is a gap', () => {
    assert.deepEqual(gapsOf(raw(0, 10, 20, 30, 61, 71, 81)), [45.5])
    assert.deepEqual(gapsOf(raw(0, 10, 20, 30, 60, 70, 80)), [])
  })

  test('a device that sends more often from a time on has no gap', () => {
    assert.deepEqual(gapsOf(raw(0, 600, 1200, 1800, 2400, 2405, 2410, 2415, 2420, 2425)), [])
  })

  test('a state holds for an hour', () => {
    assert.deepEqual(gapsOf(raw(0, 5, 10, 3000, 3005, 3010), 0, true), [])
    assert.deepEqual(gapsOf(raw(0, 5, 10, 9000, 9005, 9010), 0, true), [4505])
  })

  test('in the joined columns a gap is null, and the time of another line is undefined', () => {
    const lines = [lineOf(raw(0, 10, 20, 100, 110, 120), 0, false), lineOf(raw(15, 25), 0, false)]
    const { times, columns } = joined(lines)
    assert.deepEqual(times, [0, 10, 15, 20, 25, 60, 100, 110, 120])
    assert.deepEqual(columns[0]?.value, [0, 10, undefined, 20, undefined, null, 100, 110, 120])
    assert.deepEqual(columns[1]?.value[2], 15)
  })

  test('the cursor finds the nearest point, and none in a gap', () => {
    const line = lineOf(raw(0, 10, 20, 200, 210, 220), 0, false)
    assert.equal(pointAt(line, 16)?.time, 20)
    assert.equal(pointAt(line, 110), undefined)
    assert.equal(pointAt(line, 500), undefined)
    assert.equal(pointAt(lineOf([], 0, false), 5), undefined)
  })
})

describe('values that arrive', () => {
  const bucket = { time: 60, value: 10, min: 8, max: 12, count: 3 }

  test('extend the last interval, and begin new ones', () => {
    const samples = [
      { time: 90, value: 14 },
      { time: 125, value: 1 }
    ]
    assert.deepEqual(extended([bucket], samples, 60), [
      { time: 60, value: 11, min: 8, max: 14, count: 4 },
      { time: 120, value: 1, min: 1, max: 1, count: 1 }
    ])
  })

  test('are points of their own between raw points', () => {
    assert.deepEqual(extended(raw(1), [{ time: 2, value: 2 }], 0), raw(1, 2))
    const known = raw(1)
    assert.equal(extended(known, [], 0), known)
  })

  test('statistics weigh each interval by its samples, and see only what is visible', () => {
    const points = [
      { time: 0, value: 99, min: 99, max: 99, count: 9 },
      bucket,
      pointOf({ time: 120, value: 2 })
    ]
    assert.deepEqual(statisticsOf(points, { from: 60, to: 200 }, 60), {
      count: 4,
      mean: 8,
      min: { time: 120, value: 2 },
      max: { time: 60, value: 12 },
      last: { time: 120, value: 2 }
    })
    assert.equal(statisticsOf(points, { from: 1000, to: 2000 }, 60), undefined)
    const samples = [60, 120].map((time) => pointOf({ time, value: 1 }))
    assert.equal(statisticsOf(samples, { from: 60, to: 120 }, 0)?.count, 2)
  })
})

describe('colours', () => {
  const functions = Array.from({ length: 30 }, (_, i) => ({ id: i + 1, topic: `obj/${i}` }))
  const topics = functions.map(({ topic }) => topic)

  test('a topic has the same colour alone and among others', () => {
    const all = looksOf(topics.slice(0, 8), functions)
    for (const topic of topics.slice(0, 8)) {
      assert.deepEqual(looksOf([topic], functions).get(topic), all.get(topic))
    }
  })

  test('new functions and another order change nothing', () => {
    const chosen = ['obj/3', 'obj/11', 'obj/19', 'obj/unknown']
    const more = [{ id: 99, topic: 'obj/late' }, ...functions.toReversed()]
    assert.deepEqual(looksOf(chosen.toReversed(), more), looksOf(chosen, functions))
  })

  test('no two lines of a plot look the same', () => {
    const looks = looksOf(topics.slice(0, 20), functions)
    assert.equal(new Set([...looks.values()].map((look) => JSON.stringify(look))).size, 20)
  })

  for (const [scheme, ground] of [
    ['light', '#ffffff'],
    ['dark', '#1c1b19']
  ] as const) {
    test(`the colours are seen on ${scheme} ground, and stay apart for colour-blind eyes`, () => {
      for (const color of palette[scheme]) assert(contrast(color, ground) >= 3, color)
      for (const eye of Object.values(eyes)) {
        for (const [i, color] of palette[scheme].entries()) {
          for (const other of palette[scheme].slice(i + 1)) {
            assert(distance(color, other, eye) >= 0.1, `${color} ${other}`)
          }
        }
      }
    })
  }
})

describe('times in a zone', () => {
  test('wall times go forth and back, also where the clock changes', () => {
    assert.equal(wallText(ZONE, at('2026-07-01T10:00:00Z')), '2026-07-01T12:00')
    assert.equal(readWallText(ZONE, '2026-01-01T12:00'), at('2026-01-01T11:00:00Z'))
    assert.equal(readWallText(ZONE, 'soon'), undefined)
    // 02:30 was twice, and is skipped in spring.
    assert.equal(instantOf(ZONE, at('2026-10-25T02:30:00Z')), at('2026-10-25T00:30:00Z'))
    assert.equal(instantOf(ZONE, at('2026-03-29T02:30:00Z')), at('2026-03-29T01:30:00Z'))
    assert.equal(
      isoText('Asia/Kolkata', at('2026-01-01T00:00:00Z')),
      '2026-01-01T05:30:00.000+05:30'
    )
    assert.equal(isoText('America/New_York', 0), '1969-12-31T19:00:00.000-05:00')
  })

  test('ticks are at round wall times on both sides of a clock change', () => {
    const [from, to] = [at('2026-10-24T22:00:00Z'), at('2026-10-26T11:00:00Z')]
    const ticks = timeTicks(ZONE, from, to, { ms: 6 * HOUR * 1000 })
    const shown = ticks.map((tick) => isoText(ZONE, tick).slice(8, 16))
    assert.deepEqual(shown, [
      '25T00:00',
      '25T06:00',
      '25T12:00',
      '25T18:00',
      '26T00:00',
      '26T06:00',
      '26T12:00'
    ])
  })

  test('the hour that is twice has ticks twice', () => {
    const [from, to] = [at('2026-10-25T00:00:00Z'), at('2026-10-25T02:00:00Z')]
    const ticks = timeTicks(ZONE, from, to, { ms: 30 * 60 * 1000 })
    assert.deepEqual(
      ticks.map((tick) => isoText(ZONE, tick).slice(11, 16)),
      ['02:00', '02:30', '02:00', '02:30', '03:00']
    )
  })

  test('days begin at midnight, weeks on Monday, months on the first', () => {
    const [from, to] = [at('2026-03-20T00:00:00Z'), at('2026-05-05T00:00:00Z')]
    const iso = (step: Parameters<typeof timeTicks>[3]) =>
      timeTicks(ZONE, from, to, step).map((tick) => isoText(ZONE, tick).slice(0, 16))
    assert.equal(iso({ days: 1 }).length, 46)
    assert(iso({ days: 1 }).every((text) => text.endsWith('T00:00')))
    assert.deepEqual(iso({ days: 7 })[0], '2026-03-23T00:00')
    assert.deepEqual(iso({ months: 1 }), ['2026-04-01T00:00', '2026-05-01T00:00'])
  })

  test('there are never more ticks than fit, and at least two from an hour on', () => {
    for (let span = 1000; span < 50 * 365 * DAY * 1000; span *= 1.9) {
      const from = at('2026-03-28T13:37:00Z')
      const ticks = timeTicks(ZONE, from, from + span, tickStep(span, 10))
      assert(ticks.length <= 12 && ticks.length >= 2, `${span}: ${ticks.length}`)
    }
  })

  test('labels name the day where a new one begins', () => {
    const step = { ms: 12 * HOUR * 1000 }
    const ticks = timeTicks(ZONE, at('2026-11-15T23:00:00Z'), at('2026-11-17T10:00:00Z'), step)
    assert.deepEqual(tickLabels({ zone: ZONE, locale: 'en-GB' }, ticks, step), [
      '00:00\nMon 16 Nov',
      '12:00',
      '00:00\nTue 17 Nov'
    ])
  })
})

describe('CSV', () => {
  test('has times in the zone and as Unix time, and leaves gaps out', () => {
    const text = csvOf(
      [0, 30, 60],
      [
        { name: 'a', cells: [1.5, null, undefined] },
        { name: 'b', cells: [2, null, -3] }
      ],
      'UTC'
    )
    assert.equal(
      text,
      'time,unix,a,b\r\n1970-01-01T00:00:00.000+00:00,0,1.5,2\r\n1970-01-01T00:01:00.000+00:00,60,,-3\r\n'
    )
  })

  for (const [name, head] of [
    ['=cmd()', "'=cmd()"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@a', "'@a"],
    ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
    ['a, b', '"a, b"'],
    ['two\nlines', '"two\nlines"']
  ] as const) {
    test(`a column named ${JSON.stringify(name)} is only text`, () => {
      assert.equal(csvOf([], [{ name, cells: [] }], 'UTC'), `time,unix,${head}\r\n`)
    })
  }
})
