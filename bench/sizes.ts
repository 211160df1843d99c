export type Sizes = {
  rounds: number
  warmMs: number
  measureMs: number
  /** Unacknowledged messages per client. */
  inFlight: number
  samples: number
  pageRepeats: number
  importRows: number
  starts: number
  /** How many times the store of the other lines a start is measured with. */
  startTimes: number
  objects: number
  searches: number
}

export const clients = 50
export const installations = 10
export const topicsPerClient = 10

export const full: Sizes = {
  rounds: 3,
  warmMs: 3000,
  measureMs: 7000,
  inFlight: 20,
  samples: 10_000_000,
  pageRepeats: 30,
  starts: 5,
  startTimes: 1,
  objects: 1_000_000,
  searches: 1000,
  importRows: 3_000_000
}

/** `--quick`: to see that the bench itself works; its figures mean little. */
export const quick: Sizes = {
  rounds: 1,
  warmMs: 1000,
  measureMs: 2000,
  inFlight: 20,
  samples: 1_000_000,
  pageRepeats: 5,
  starts: 1,
  startTimes: 1,
  objects: 20_000,
  searches: 100,
  importRows: 1_000_000
}

/** `--huge`: a start with a hundred million samples, which take most of an hour to write at first. */
export const huge: Sizes = { ...full, startTimes: 10 }
