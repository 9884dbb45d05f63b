import { availableParallelism, loadavg } from 'node:os'

/** The largest factor that the load of a machine gives. */
const MAX_LOAD_FACTOR = 20

/**
 * Stretches a time by the slowness of this machine: the factor of `SVC_TEST_SLOW`, or the present load for each
 * processor, from 1 to 20. Tests wait that long for facts before they fail; a test that passes does not wait longer.
 *
 * @param usualMs the time on a quiet machine @default one minute
 */
export function patienceMs(usualMs = 60_000): number {
  const { SVC_TEST_SLOW: given } = process.env
  const load = (loadavg()[0] ?? 0) / availableParallelism()
  return Math.ceil(usualMs * (Number(given) || Math.min(Math.max(load, 1), MAX_LOAD_FACTOR)))
}

/** Aborts after `patienceMs`. */
export function patience(usualMs?: number): AbortSignal {
  return AbortSignal.timeout(patienceMs(usualMs))
}
