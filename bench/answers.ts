/** The results of an aggregation: by topic, then by the begin of the bucket. */
export type Answer = Map<number, Map<number, number>>

const MAX_DIFFERENCE = 1e-9

/** `[begin of the bucket, value]` */
type Point = readonly [number, number]

function answerOf(series: Iterable<readonly [topic: number, points: readonly Point[]]>): Answer {
  const answer: Answer = new Map()
  for (const [topic, points] of series) {
    const known = answer.get(topic) ?? new Map<number, number>()
    for (const [begin, value] of points) known.set(begin, value)
    answer.set(topic, known)
  }
  return answer
}

/** One or more pages of the log. */
export function answerOfCaracal(texts: readonly string[]): Answer {
  return answerOf(
    texts.flatMap((text) => {
      const { count, total, data } = JSON.parse(text)
      if (count !== total) throw new Error(`a page has ${count} of ${total} rows`)
      return data.map(({ topic, timestamp, value }: Logged) => [
        Number(/room_(\d+)/.exec(topic)?.[1]),
        [[Math.round(timestamp * 1000), value]]
      ])
    })
  )
}
type Logged = { topic: string; timestamp: number; value: number }

/** Series with the tag `t`; without it there is a statement for each topic. */
export function answerOfInflux(text: string): Answer {
  const { results } = JSON.parse(text) as { results: InfluxResult[] }
  return answerOf(
    results.flatMap(({ series = [], error }, place) => {
      if (error !== undefined) throw new Error(`InfluxDB: ${error}`)
      return series.map(({ tags, values }) => [Number(tags?.t ?? place), values] as const)
    })
  )
}
type InfluxResult = {
  error?: string
  series?: { tags?: { t: string }; values: Point[] }[]
}

/** A range query is evaluated at the last millisecond of each bucket, perhaps rounded down. */
export function answerOfVictoria(text: string, { from, step }: { from: number; step: number }) {
  const { data } = JSON.parse(text) as { data: { result: VictoriaSeries[] } }
  return answerOf(
    data.result.map(({ metric, values = [], value }) => [
      Number(metric.t),
      (value ? [value] : values).map(([end, text]) => {
        const place = Math.round((end * 1000 + 1 - from) / step) - 1
        return [from + place * step, Number(text)] as const
      })
    ])
  )
}
type VictoriaSeries = {
  metric: { t: string }
  values?: [number, string][]
  value?: [number, string]
}

/** Both must have the same buckets with the same values. */
export function assertSame(what: string, ours: Answer, theirs: Answer): void {
  if (ours.size !== theirs.size || sizeOf(ours) !== sizeOf(theirs) || ours.size === 0) {
    throw new Error(
      `${what}: ${ours.size} topics with ${sizeOf(ours)} rows, the peer has ${theirs.size} with ${sizeOf(theirs)}`
    )
  }
  for (const [topic, points] of ours) {
    for (const [begin, value] of points) {
      const other = theirs.get(topic)?.get(begin)
      const difference = Math.abs(value - (other ?? Number.NaN))
      if (!(difference <= MAX_DIFFERENCE * Math.max(Math.abs(value), 1e-3))) {
        const at = new Date(begin).toISOString()
        throw new Error(`${what}, topic ${topic} at ${at}: ${value}, the peer has ${other}`)
      }
    }
  }
}

const sizeOf = (answer: Answer): number =>
  [...answer.values()].reduce((sum, points) => sum + points.size, 0)
