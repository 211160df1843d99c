import type { TraceRecorder } from './recorder.ts'

export type TraceDeps = { trace: TraceRecorder }
