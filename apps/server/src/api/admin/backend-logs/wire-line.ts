import type { BackendLogLine } from '@svc/wire/native'
import type { LogLine } from '../../../backends/log-ring.ts'
import type { BackendLogs } from '../../../backends/supervisor.ts'
import type { Clock } from '../../../ports.ts'

/** Parts of the routes of backend logs. */
export interface BackendLogParts {
  readonly logs: BackendLogs
  readonly clock: Clock
}

/** Writes a line as it goes out. */
export function toWireLine({ timestamp, stream, text }: LogLine): BackendLogLine {
  return { timestamp: new Date(timestamp).toISOString(), stream, text }
}
