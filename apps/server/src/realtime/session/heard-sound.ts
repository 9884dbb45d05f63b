import { HEARD_RATE } from '../ports.ts'

/** Heard sound of one channel at {@link HEARD_RATE}, kept as 16-bit samples. Times are milliseconds since the beginning. */
export interface HeardSound {
  /** Adds samples. @returns false, and adds nothing, where more than the bound would be kept */
  add(samples: Float32Array): boolean
  /** Gives a stretch; parts that are not kept are left out. */
  read(startMs: number, endMs: number): Float32Array
  /** Forgets what came before a time. */
  dropBefore(ms: number): void
  /** Forgets all. Time goes on. */
  clear(): void
  /** The first moment that is kept. */
  readonly startMs: number
  /** All that was ever heard. */
  readonly endMs: number
  readonly keptBytes: number
}

const SAMPLES_PER_MS = HEARD_RATE / 1000
const FIRST_CAPACITY = HEARD_RATE * 4

/** Creates the memory of what is heard. @param options.maxMs most sound that is kept */
export function createHeardSound({ maxMs }: { readonly maxMs: number }): HeardSound {
  const maxSamples = maxMs * SAMPLES_PER_MS
  let ring = new Int16Array(0)
  let kept = 0
  /** Number of the sample after the last one. */
  let end = 0

  function grow(needed: number): void {
    const next = new Int16Array(Math.min(maxSamples, Math.max(FIRST_CAPACITY, needed, ring.length * 2)))
    for (let index = 0; index < kept; index += 1) next[(end - kept + index) % next.length] = at(end - kept + index)
    ring = next
  }
  const at = (sample: number): number => ring[sample % ring.length] ?? 0

  return {
    add(samples) {
      const needed = kept + samples.length
      if (needed > maxSamples) return false
      if (needed > ring.length) grow(needed)
      for (let index = 0; index < samples.length; index += 1) ring[(end + index) % ring.length] = toS16(samples[index])
      end += samples.length
      kept = needed
      return true
    },
    read(startMs, endMs) {
      const from = Math.max(end - kept, Math.round(startMs * SAMPLES_PER_MS))
      const to = Math.min(end, Math.round(endMs * SAMPLES_PER_MS))
      const samples = new Float32Array(Math.max(0, to - from))
      for (let index = 0; index < samples.length; index += 1) samples[index] = at(from + index) / 32_768
      return samples
    },
    dropBefore(ms) {
      kept = Math.max(0, Math.min(kept, end - Math.round(ms * SAMPLES_PER_MS)))
      if (kept === 0) ring = new Int16Array(0)
    },
    clear() {
      kept = 0
      ring = new Int16Array(0)
    },
    get startMs() {
      return (end - kept) / SAMPLES_PER_MS
    },
    get endMs() {
      return end / SAMPLES_PER_MS
    },
    get keptBytes() {
      return ring.byteLength
    },
  }
}

function toS16(sample = 0): number {
  const value = Math.round(sample * 32_768)
  return Math.max(-32_768, Math.min(32_767, value))
}
