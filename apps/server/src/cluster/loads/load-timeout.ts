const MINUTE_MS = 60_000
const GIB = 2 ** 30
const PER_GIB_MS = 20_000
const MOST_MS = 6 * 60 * MINUTE_MS

/**
 * The longest time of LoadModel on a worker, milliseconds: 5 minutes and 20 seconds for each GiB of its files, at most 6
 * hours. A set time is taken as it is.
 */
export function loadTimeoutMs(sizeBytes: number | undefined, setMs: number | undefined): number {
  if (setMs !== undefined && setMs > 0) return setMs
  return Math.min(MOST_MS, 5 * MINUTE_MS + Math.ceil((sizeBytes ?? 0) / GIB) * PER_GIB_MS)
}
