import { vi } from 'vitest'

/** Waits for a visible fact, with the patience a loaded machine needs. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 20_000, interval: 10 })
}
