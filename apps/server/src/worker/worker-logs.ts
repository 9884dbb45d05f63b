import type { BackendLogs } from '../backends/supervisor.ts'
import type { WorkerLogs } from './files/worker-logs.ts'

/** The logs of a supervisor's processes. */
export function createWorkerLogs(logs: BackendLogs): WorkerLogs {
  return {
    models: () => logs.names(),
    read: (model) => (logs.names().includes(model) ? logs.lines(model) : undefined),
    follow(model, listener) {
      const reader = logs.follow(model)
      if (reader === undefined) return undefined
      const ending = new AbortController()
      const pass = async (): Promise<void> => {
        for (let batch = reader.take(); batch !== undefined && !ending.signal.aborted; batch = reader.take()) {
          for (const line of batch.events) listener(line)
          await reader.wait(ending.signal)
        }
      }
      // A listener that fails hears no more.
      pass()
        .catch(() => undefined)
        .finally(() => reader.close())
      return () => {
        ending.abort()
        reader.close()
      }
    },
  }
}
