import { SvcError } from '@svc/errors'
import type { Clock } from '../ports.ts'

const LONGEST_MS = 5 * 60 * 1000
const MAX_NAMES = 10_000

/** Refuses a model that failed to load for a while (§3.4). */
export interface LoadCooldown {
  /**
   * Refuses a model in cooldown. @throws SvcError `model_load_cooldown` (unavailable) with the rest of the window as
   * `retryAfterMs`
   */
  check(name: string): void
  /**
   * Starts the window: the first length, doubled for each further failure in a row, at most 5 minutes.
   *
   * @param options.missing says that the backend or the weights are not there; the refusals repeat it
   */
  failed(name: string, options?: { readonly missing?: string | undefined }): void
  /** Ends a window that began with something missing: it is there now. */
  found(name: string): void
  succeeded(name: string): void
}

interface Failures {
  readonly count: number
  /** Monotonic milliseconds. */
  readonly until: number
  readonly missing: string | undefined
}

/**
 * Creates a cooldown without failures.
 *
 * @param options.firstMs length of the first window in milliseconds; 0 turns the cooldown off
 */
export function createLoadCooldown(options: {
  readonly firstMs: number
  readonly clock: Pick<Clock, 'monotonic'>
}): LoadCooldown {
  const { firstMs, clock } = options
  const failures = new Map<string, Failures>()
  return {
    check(name) {
      const { until = 0, missing } = failures.get(name) ?? {}
      const remainingMs = until - clock.monotonic()
      if (remainingMs > 0) throw createRefusal(name, remainingMs, missing)
    },
    failed(name, { missing } = {}) {
      if (firstMs <= 0) return
      const count = (failures.get(name)?.count ?? 0) + 1
      const windowMs = Math.min(firstMs * 2 ** (count - 1), Math.max(LONGEST_MS, firstMs))
      failures.delete(name)
      failures.set(name, { count, until: clock.monotonic() + windowMs, missing })
      for (const oldest of failures.keys()) {
        if (failures.size <= MAX_NAMES) break
        failures.delete(oldest)
      }
    },
    found(name) {
      if (failures.get(name)?.missing !== undefined) failures.delete(name)
    },
    succeeded: (name) => void failures.delete(name),
  }
}

function createRefusal(name: string, remainingMs: number, missing: string | undefined): SvcError {
  const seconds = Math.max(1, Math.ceil(remainingMs / 1000))
  const cause = missing === undefined ? '' : `: ${missing}`
  const message = `model "${name}" load is in cooldown after a recent failure; retry after ${seconds}s${cause}`
  return new SvcError('unavailable', message, { code: 'model_load_cooldown', retryAfterMs: remainingMs })
}
