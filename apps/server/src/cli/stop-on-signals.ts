import type { Logger } from '../ports.ts'

/** What can be stopped. */
export interface Stoppable {
  close(): Promise<void>
  /** Sends KILL to every backend, for an exit that waits for nothing. */
  killBackends(): void
}

/**
 * Stops a server or a worker on signals and on failures that nothing has caught, and ends the process. A second signal
 * waits for nothing.
 *
 * @returns stops it as a signal does
 */
export function stopOnSignals(running: Stoppable, log: Pick<Logger, 'info' | 'error'>): (exitCode: number) => void {
  let stopping = false
  const stop = (exitCode: number): void => {
    if (stopping) {
      running.killBackends()
      process.exit(exitCode === 0 ? 130 : exitCode)
    }
    stopping = true
    log.info({}, 'stopping')
    running.close().then(
      () => process.exit(exitCode),
      (error: unknown) => {
        log.error({ err: error }, 'stop failed')
        running.killBackends()
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', () => stop(0))
  process.on('SIGINT', () => stop(0))
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.error({ err: error }, 'unexpected failure, stopping')
      stop(1)
    })
  }
  return stop
}
