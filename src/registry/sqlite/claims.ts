import type { Claims } from '../claims.ts'

/** A registry in a file belongs to one process, which therefore holds every claim. */
export const soleClaims: Claims = {
  take: () => Promise.resolve(true),
  release: () => Promise.resolve(),
  keep: () => Promise.resolve(true),
  nodes: () => Promise.resolve(1),
  setReading: () => Promise.resolve(),
  readers: () => Promise.resolve(1),
  onChange: () => {},
  failure: undefined,
  close: () => Promise.resolve()
}
