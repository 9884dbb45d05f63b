import { vi } from 'vitest'

/** Waits for a visible fact, long enough for a loaded machine. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 20_000, interval: 10 })
}
