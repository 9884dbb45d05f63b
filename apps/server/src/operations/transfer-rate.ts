/** The speed of a transfer. Both members are absent until they are known. */
export interface TransferRate {
  readonly bytesPerSecond?: number | undefined
  readonly secondsLeft?: number | undefined
}

/** Measures one transfer by its byte counts. */
export interface TransferMeter {
  /** @param bytes all bytes so far; fewer than before begin a new measurement */
  add(bytes: number, nowMs: number): void
  /** @param missingBytes that are still to come */
  read(nowMs: number, missingBytes: number | undefined): TransferRate
}

/** The rate is the mean over this time. */
const WINDOW_MS = 5000
/** Looks within one moment are one sample. */
const MOMENT_MS = 100
/** The usual pause between two pieces is shorter. */
const SILENCE_MS = 1000

/** Before that the rate says nothing: bytes that wait in the system come at once. */
const SHORTEST_MS = 500

interface Sample {
  readonly atMs: number
  readonly bytes: number
}

/** A meter without a past. Its memory is that of {@link WINDOW_MS}. */
export function createTransferMeter(): TransferMeter {
  let samples: Sample[] = []
  let latest: Sample | undefined
  return {
    add(bytes, atMs) {
      if (latest !== undefined && bytes < latest.bytes) samples = []
      latest = { atMs, bytes }
      const last = samples.at(-1)
      if (last !== undefined && atMs - last.atMs < MOMENT_MS) return
      // One sample older than the window stays, so that a slow transfer has a rate too.
      const begin = samples.findLastIndex((sample) => atMs - sample.atMs >= WINDOW_MS)
      samples = [...samples.slice(Math.max(0, begin)), latest]
    },
    read(nowMs, missingBytes) {
      const [first] = samples
      if (first === undefined || latest === undefined || nowMs <= first.atMs) return {}
      // Silence counts: a stopped transfer becomes slower and slower.
      const untilMs = nowMs - latest.atMs > SILENCE_MS ? nowMs : latest.atMs
      if (untilMs - first.atMs < SHORTEST_MS) return {}
      const bytesPerSecond = ((latest.bytes - first.bytes) / (untilMs - first.atMs)) * 1000
      if (bytesPerSecond < 1 || missingBytes === undefined) return { bytesPerSecond }
      return { bytesPerSecond, secondsLeft: missingBytes / bytesPerSecond }
    },
  }
}
