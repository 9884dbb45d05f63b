/**
 * Stops on SIGTERM and SIGINT: the first signal runs `stop` and exits with 0, or with 1 when that fails; a second
 * signal exits at once.
 */
export function stopOnSignals(stop: () => Promise<void>): void {
  let isStopping = false
  const onSignal = () => {
    if (isStopping) process.exit(1)
    isStopping = true
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error('stopping failed:', error)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
