import type { Clock } from '../../lib/clock.ts'
import { VERSION } from '../../lib/version.ts'
import type { TraceRecorder } from './recorder.ts'

/** [ADR-0042] Who reads the trace sees which version has run since when. */
export const recordStart = (trace: TraceRecorder, clock: Clock): Promise<void> =>
  trace.record([
    {
      timestamp: clock(),
      user_id: 0,
      method: '',
      path: '',
      action: 'execute',
      object_type: 'platform',
      object_id: 0,
      installation_id: null,
      organization_id: null,
      description: `started Caracal ${VERSION}`,
      address: ''
    }
  ])
