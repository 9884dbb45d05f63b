/** Bounds of all stores together. */
export interface StoreLimits {
  readonly maxStores: number
  /** Entries of one store. */
  readonly maxEntries: number
  /** Entries of all stores. */
  readonly maxTotalEntries: number
  /** Keys and values of all stores. */
  readonly maxTotalBytes: number
  /** Changes that wait for the disk. */
  readonly maxWaiting: number
}

export const STORE_LIMITS: StoreLimits = {
  maxStores: 256,
  maxEntries: 100_000,
  maxTotalEntries: 1_000_000,
  maxTotalBytes: 1024 ** 3,
  maxWaiting: 1024,
}
