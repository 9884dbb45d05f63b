import { hostname } from 'node:os'
import type { RootLogger } from '../logging/log.ts'
import { createWorker, type Worker, type WorkerOptions } from '../worker/create-worker.ts'
import { stopOnSignals } from './stop-on-signals.ts'

/**
 * `svc worker`: runs models for the front ends of a cluster until a signal comes.
 *
 * @throws {StartRefused} where it must not start
 */
export async function runWorker(
  options: Omit<WorkerOptions, 'hostName' | 'stopWorker' | 'logger'> & { readonly log: RootLogger },
): Promise<void> {
  const { log } = options
  const worker: Worker = createWorker({ ...options, logger: log, hostName: hostname(), stopWorker: () => stop(0) })
  let isStopping = false
  const stop = stopOnSignals(
    {
      close() {
        isStopping = true
        return worker.close()
      },
      killBackends: () => worker.killBackends(),
    },
    log,
  )
  try {
    await worker.start()
  } catch (error) {
    // The signal ends the process.
    if (isStopping) return
    await worker.close()
    throw error
  }
}
