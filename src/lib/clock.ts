import { type UnixMs, unixMs } from './unix-time.ts'

/** Injected wherever time matters, so a test can hold it still. */
export type Clock = () => UnixMs

export const systemClock: Clock = () => unixMs(Date.now())
