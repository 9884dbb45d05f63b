/** The bytes of a transfer at one time. */
interface Sample {
  readonly time: number
  readonly bytes: number
}

/** How fast a transfer is. Both are absent until they are known. */
export interface TransferRate {
  readonly bytesPerSecond?: number
  readonly secondsLeft?: number
}

/** The rate is the mean over this time. */
const WINDOW_MS = 5_000

/** Measures transfers from the byte counts that are seen from time to time. */
export class TransferMeter {
  readonly #samples = new Map<string, Sample[]>()

  /**
   * Takes one look at a transfer.
   *
   * @param key names the transfer
   * @param bytes what it has so far; fewer than before begin a new measurement
   * @param now in milliseconds
   */
  measure(key: string, bytes: number, total: number | undefined, now: number): TransferRate {
    const known = this.#samples.get(key) ?? []
    const last = known.at(-1)
    const kept = last !== undefined && last.bytes > bytes ? [] : known.filter(({ time }) => now - time <= WINDOW_MS)
    // several looks within one moment are one sample
    if (last === undefined || now - last.time >= 250 || kept.length === 0) kept.push({ time: now, bytes })
    this.#samples.set(key, kept)
    const first = kept[0]
    const latest = kept.at(-1)
    if (first === undefined || latest === undefined || latest.time <= first.time) return {}
    const bytesPerSecond = ((latest.bytes - first.bytes) / (latest.time - first.time)) * 1000
    if (bytesPerSecond <= 0 || total === undefined || total < bytes) return { bytesPerSecond }
    return { bytesPerSecond, secondsLeft: (total - bytes) / bytesPerSecond }
  }

  /** Forgets every transfer but these. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#samples.keys()) if (!keys.has(key)) this.#samples.delete(key)
  }
}
