export type Sizes = {
  /** How long to wait until other programs leave the cores. */
  quietWithinMs: number
  rounds: number
  warmMs: number
  measureMs: number
  /** Unacknowledged messages per client. */
  inFlight: number
  samples: number
  pageRepeats: number
  importRows: number
  starts: number
  /** The store for the start is this many times the store of the other lines. */
  startTimes: number
  /** Each of these numbers is measured. */
  objects: number[]
  searches: number
  /** Of the year that is aggregated. */
  yearMonths: number
  yearRepeats: number
  /** Days of samples whose bytes are counted. */
  byteDays: number
  /** With 40 topics each. */
  latestInstallations: number
  /** Of alarms. There are two for each topic. */
  rules: number
  /** Tables of 500 000 rows that are packed beside the load. */
  backlogTables: number
}

export const clients = 50
export const installations = 10
export const topicsPerClient = 10

export const full: Sizes = {
  quietWithinMs: 60_000,
  rounds: 3,
  warmMs: 3000,
  measureMs: 7000,
  inFlight: 20,
  samples: 10_000_000,
  pageRepeats: 30,
  starts: 5,
  startTimes: 1,
  objects: [1_000_000],
  searches: 300,
  importRows: 3_000_000,
  yearMonths: 12,
  yearRepeats: 7,
  byteDays: 60,
  latestInstallations: 25_000,
  rules: 100_000,
  backlogTables: 40
}

/** `--quick` only shows that the benchmark works; its figures mean little. */
export const quick: Sizes = {
  quietWithinMs: 5000,
  rounds: 1,
  warmMs: 1000,
  measureMs: 2000,
  inFlight: 20,
  samples: 1_000_000,
  pageRepeats: 5,
  starts: 1,
  startTimes: 1,
  objects: [20_000],
  searches: 100,
  importRows: 1_000_000,
  yearMonths: 1,
  yearRepeats: 2,
  byteDays: 5,
  latestInstallations: 500,
  rules: 10_000,
  backlogTables: 6
}

/** `--huge`: a start with a hundred million samples. To write them takes minutes the first time. */
export const huge: Sizes = { ...full, startTimes: 10 }
