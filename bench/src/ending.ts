import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs a program that has things to clean up. A first signal to end aborts the program's own signal, and the program
 * cleans up as after an error; the process then ends with the code of the signal. An error ends it with 2.
 */
export async function runToEnd(program: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const ending = new AbortController()
  const onSignal = (name: (typeof SIGNALS)[number]): void => {
    process.exitCode = 128 + constants.signals[name]
    ending.abort(new Error(`ended by ${name}`))
  }
  for (const name of SIGNALS) process.once(name, onSignal)
  try {
    await program(ending.signal)
  } catch (error) {
    if (!ending.signal.aborted) process.exitCode = 2
    console.error(ending.signal.aborted ? ending.signal.reason.message : error)
  } finally {
    for (const name of SIGNALS) process.off(name, onSignal)
  }
}
