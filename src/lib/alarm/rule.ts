export const severities = ['info', 'warning', 'critical'] as const
export type Severity = (typeof severities)[number]

/** A number, or the metadata of the function that has it. */
export type Bound = number | { meta: string }

/** What the values of one topic are compared with. `silent_for` is a duration, as `10m`. */
export type When =
  | { above: Bound }
  | { below: Bound }
  | { outside: readonly [Bound, Bound] }
  | { equals: Bound }
  | { changed_by: Bound }
  | { rate_per_hour: Bound }
  | { silent_for: string | { meta: string } }
  | { all: readonly When[] }
  | { any: readonly When[] }

/** Topics and filters without the client id, or functions by their type and metadata. */
export type On =
  | { topics: readonly string[] }
  | { type: string; meta: Readonly<Record<string, string>> }

/** In the zone of the installation. 0 is Sunday. `to` before `from`: over midnight. */
export type Hours = { days: readonly number[]; from: string; to: string }

/** What a rule says, as in its record. */
export type RuleDefinition = {
  on: On
  when: When
  /** A duration; empty: at once. */
  for: string
  hysteresis: number
  schedule: Hours | null
  /** A template of the notifications. */
  message: string
}
