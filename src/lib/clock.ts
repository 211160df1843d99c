import { type UnixMs, unixMs } from './unix-time.ts'

/** Passed in wherever time matters, so that a test can stop it. */
export type Clock = () => UnixMs

export const systemClock: Clock = () => unixMs(Date.now())
