/** The latest sound of one channel. Positions count samples since the session began. */
export interface SoundHistory {
  /** The oldest sample that is kept. */
  readonly start: number
  /** Behind the newest sample. */
  readonly end: number
  add(samples: Float32Array): void
  /** Adds silence up to a position. */
  fillTo(position: number): void
  /** Gives a stretch; what is not kept is silence. */
  read(from: number, to: number): Float32Array
  forgetBefore(position: number): void
}

const FIRST_CAPACITY = 32_768

/** Keeps at most `max` samples: the oldest are dropped. */
export function createSoundHistory(max: number): SoundHistory {
  let kept = new Float32Array(Math.min(FIRST_CAPACITY, max))
  /** Where the oldest sample lies. */
  let head = 0
  let start = 0
  let end = 0

  function forgetBefore(position: number): void {
    const count = Math.min(Math.max(0, position - start), end - start)
    head += count
    start += count
  }

  /** Makes place for further samples behind the newest. */
  function reserve(count: number): void {
    forgetBefore(end + count - max)
    const length = end - start
    if (head + length + count <= kept.length) return
    const needed = length + count
    const target = needed <= kept.length ? kept : new Float32Array(Math.min(max, Math.max(needed, kept.length * 2)))
    target.set(kept.subarray(head, head + length))
    kept = target
    head = 0
  }

  function skipTo(position: number): void {
    head = 0
    start = position
    end = position
  }

  return {
    get start() {
      return start
    },
    get end() {
      return end
    },
    add(samples) {
      if (samples.length > max) skipTo(end + samples.length - max)
      const latest = samples.subarray(Math.max(0, samples.length - max))
      reserve(latest.length)
      kept.set(latest, head + end - start)
      end += latest.length
    },
    fillTo(position) {
      if (position <= end) return
      if (position - end >= max) return skipTo(position)
      const count = position - end
      reserve(count)
      kept.fill(0, head + end - start, head + end - start + count)
      end = position
    },
    read(from, to) {
      const stretch = new Float32Array(Math.max(0, to - from))
      const first = Math.max(from, start)
      const last = Math.min(to, end)
      if (first < last) stretch.set(kept.subarray(head + first - start, head + last - start), first - from)
      return stretch
    },
    forgetBefore,
  }
}
