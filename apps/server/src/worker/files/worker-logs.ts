import type { LogLine } from '../../backends/log-ring.ts'

/** Output of backend processes, by model. */
export interface WorkerLogs {
  models(): readonly string[]
  /** @returns undefined for an unknown model */
  read(model: string): readonly LogLine[] | undefined
  /** @returns ends the calls of the listener; undefined for an unknown model */
  follow(model: string, listener: (line: LogLine) => void): (() => void) | undefined
}
