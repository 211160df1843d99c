import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type CronTexts,
  cronFields,
  nextRuns,
  readCron,
  readField
} from '../../console/src/schedule/cron.ts'
import { dayKinds, listText, timeFields, timeParts } from '../../console/src/schedule/parts.ts'
import { wordsOf } from '../../console/src/schedule/words.ts'
import { schedules as en } from '../../console/src/texts/schedules-en.ts'
import { schedules as sv } from '../../console/src/texts/schedules-sv.ts'
import { nextRun, parseCron, parseField } from '../../src/features/schedule/cron.ts'
import { unixMs } from '../../src/lib/unix-time.ts'

/** `minute hour day_of_month day_of_week month`, in the order of the API. */
function fieldsOf(line: string): CronTexts {
  const [minute = '', hour = '', day_of_month = '', day_of_week = '', month = ''] = line.split(' ')
  return { minute, hour, day_of_month, day_of_week, month }
}

const cronOf = (line: string) => {
  const cron = readCron(fieldsOf(line))
  assert(cron, line)
  return cron
}

test('a field of a schedule is read as the platform reads it', () => {
  const texts = [
    ...['*', '0', '7', '30', '31', '60', '1,15', ' 1 , 2 ', '1-5', '5-1', '*/15', '*/0', '1/2'],
    ...['0-59/7', '1-9/2,20', 'x', '1,', '-1', '1.5', '007', '*,3', '1-', '2-2']
  ]
  for (const field of cronFields)
    for (const text of texts)
      assert.deepEqual(readField(field, text), parseField(field, text), `${field} ${text}`)
  assert.deepEqual(readField('month', ''), readField('month', '*'))
  assert.equal(readCron(fieldsOf('60 * * * *')), undefined)
})

test('the next runs are those of the platform, also when the clock changes', () => {
  const zones = [
    ...['Europe/Stockholm', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia'],
    ...['Asia/Kathmandu', 'UTC', 'America/Sao_Paulo']
  ]
  const starts = [
    ...['2026-03-28T12:00Z', '2026-10-24T12:00Z', '2026-03-07T12:00Z', '2026-11-01T00:00Z'],
    ...['2011-12-29T00:00Z', '2026-12-31T22:59Z', '2028-02-28T00:00Z', '2026-04-04T10:00Z'],
    ...['2026-10-25T00:30Z', '2018-11-03T20:00Z']
  ]
  const lines = [
    ...['30 2 * * *', '0 * * * *', '*/20 1-3 * * *', '0 0 * * *', '15 6 * 1-5 *', '0 8 0 * *'],
    ...[
      '0 12 28 * *',
      '0 12 28 * 1',
      '59 23 30 * *',
      '0 12 0,14 1 *',
      '* 2 * 0 *',
      '5,35 0,2 * 7 *'
    ]
  ]
  for (const zone of zones)
    for (const start of starts)
      for (const line of lines) {
        const wanted: number[] = []
        let last = unixMs(Date.parse(start))
        while (wanted.length < 6) {
          const next = nextRun(parseCron(fieldsOf(line)), zone, last)
          if (next === undefined) break
          wanted.push(next)
          last = next
        }
        const found = nextRuns(cronOf(line), zone, Date.parse(start), 6).map(({ at }) => at)
        assert.deepEqual(found, wanted, `${line} ${zone} ${start}`)
      }
})

test('a skipped time runs at the first moment after it, and a repeated one runs once', () => {
  const all: [line: string, start: string, runs: string[]][] = [
    ['30 2 * * *', '2026-03-28T12:00Z', ['2026-03-29T01:00Z moved', '2026-03-30T00:30Z']],
    ['30 2 * * *', '2026-10-24T12:00Z', ['2026-10-25T00:30Z', '2026-10-26T01:30Z']],
    ['*/30 2 * * *', '2026-03-28T12:00Z', ['2026-03-29T01:00Z moved', '2026-03-30T00:00Z']],
    ['0 8 30 * *', '2026-04-01T00:00Z', ['2026-05-31T06:00Z', '2026-07-31T06:00Z']],
    ['0 0 28 * 1', '2026-01-01T00:00Z', ['2028-02-28T23:00Z', '2032-02-28T23:00Z']],
    ['0 0 29 * 1', '2026-01-01T00:00Z', []]
  ]
  for (const [line, start, wanted] of all) {
    const runs = nextRuns(cronOf(line), 'Europe/Stockholm', Date.parse(start), 2)
    const texts = runs.map(
      ({ at, isMoved }) => `${new Date(at).toISOString().slice(0, 16)}Z${isMoved ? ' moved' : ''}`
    )
    assert.deepEqual(texts, wanted, line)
  }
})

test('fields in words', () => {
  const all: [line: string, english: string, swedish: string][] = [
    ['30 6 * 1-5 *', 'weekdays at 06:30', 'vardagar kl. 06:30'],
    ['*/15 * * * *', 'every 15 minutes', 'var 15:e minut'],
    ['0 8 0 * *', 'on day 1 of the month at 08:00', 'dag 1 i månaden kl. 08:00'],
    ['* * * * *', 'every minute', 'varje minut'],
    ['0 * * * *', 'every hour', 'varje timme'],
    ['5 * * * *', 'every hour at minute 5', 'varje timme vid minut 5'],
    ['0 */2 * * *', 'every 2 hours', 'varannan timme'],
    ['0 6 * * *', 'every day at 06:00', 'varje dag kl. 06:00'],
    ['0 6,18 * 6,7 *', 'weekends at 06:00 and 18:00', 'helger kl. 06:00 och 18:00'],
    [
      '*/20 6-8 * 1-5 *',
      'weekdays every 20 minutes from 06:00 to 08:40',
      'vardagar var 20:e minut från 06:00 till 08:40'
    ],
    ['0 8-17 * * *', 'every hour from 08:00 to 17:00', 'varje timme från 08:00 till 17:00'],
    [
      '0 12 0-4,14 * 5-7',
      'on days 1 to 5 and 15 of the month at 12:00 in June to August',
      'dagarna 1 till 5 och 15 i månaden kl. 12:00 i juni till augusti'
    ],
    [
      '0 7 0 1,3 *',
      'on day 1 of the month and also Mondays and Wednesdays at 07:00',
      'dag 1 i månaden och även måndagar och onsdagar kl. 07:00'
    ],
    [
      '0 7 * 0,5 0',
      'Fridays and Sundays at 07:00 in January',
      'fredagar och söndagar kl. 07:00 i januari'
    ],
    [
      '1,7,9 6-8,10 * * *',
      'at minutes 1, 7, and 9 in the hours 6 to 8 and 10',
      'vid minuterna 1, 7 och 9 i timmarna 6 till 8 och 10'
    ],
    [
      '*/30 1,5 * * *',
      'every day at 01:00, 01:30, 05:00, and 05:30',
      'varje dag kl. 01:00, 01:30, 05:00 och 05:30'
    ]
  ]
  for (const [line, english, swedish] of all) {
    assert.equal(wordsOf(cronOf(line), en.says, 'en'), english)
    assert.equal(wordsOf(cronOf(line), sv.says, 'sv'), swedish)
  }
})

test('what is chosen in words, as fields and back', () => {
  const parts = [
    { kind: 'at', times: ['06:30'] },
    { kind: 'at', times: ['06:00', '06:30', '18:00', '18:30'] },
    { kind: 'minutes', every: 15, from: 0, to: 23 },
    { kind: 'minutes', every: 1, from: 6, to: 6 },
    { kind: 'minutes', every: 10, from: 6, to: 17 },
    { kind: 'hours', every: 1, minute: 5 },
    { kind: 'hours', every: 8, minute: 0 }
  ] as const
  for (const part of parts) {
    const fields = timeFields(part)
    assert(fields)
    assert.deepEqual(
      timeParts(fields).find(({ kind }) => kind === part.kind),
      part
    )
  }
  assert.equal(timeFields({ kind: 'at', times: ['06:30', '18:45'] }), undefined)
  assert.equal(timeFields({ kind: 'at', times: [] }), undefined)
  assert.deepEqual(timeParts({ minute: '1,7', hour: '*' }), [])
  assert.deepEqual(timeParts({ minute: 'x', hour: '*' }), [])
  assert.equal(listText([5, 0, 1, 3, 4]), '0,1,3-5')
  assert.deepEqual(dayKinds({ day_of_month: '*', day_of_week: '*' }), ['every', 'week', 'month'])
  assert.deepEqual(dayKinds({ day_of_month: '*', day_of_week: '1-5' }), ['week'])
  assert.deepEqual(dayKinds({ day_of_month: '0', day_of_week: '0-7' }), ['month'])
  assert.deepEqual(dayKinds({ day_of_month: '0', day_of_week: '1' }), [])
})
