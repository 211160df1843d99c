/** Why no page of the console uses an operation, and the operations of which this is true. */
const reasons: Readonly<Record<string, readonly string[]>> = {}

/** By operation. */
export const withoutPage: ReadonlyMap<string, string> = new Map(
  Object.entries(reasons).flatMap(([reason, all]) => all.map((one) => [one, reason] as const))
)
