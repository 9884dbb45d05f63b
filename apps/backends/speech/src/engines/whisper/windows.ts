/** Samples a second. */
export const SPEECH_RATE = 16_000
/** Samples of the engine's window. */
const WINDOW_SAMPLES = 30 * SPEECH_RATE
/** A window is cut no earlier than here. */
const EARLIEST_CUT = 20 * SPEECH_RATE
/** Length over which loudness is measured. */
const FRAME = SPEECH_RATE / 10
/** A frame that is so much quieter than its window is a pause. */
const PAUSE_RATIO = 0.1
/** Largest sample of what counts as digital silence: 16 steps of 16-bit audio. */
const SILENCE_PEAK = 16 / 32_768

/** A stretch of audio for one call of the engine. */
export interface SpeechWindow {
  readonly samples: Float32Array
  /** Samples before it. */
  readonly offset: number
  /** Whether it ends in a pause or at the end of the audio. Otherwise a word may be cut. */
  readonly isWhole: boolean
  /** Whether nothing can be heard. */
  readonly isSilent: boolean
}

/** Audio cut into windows. */
export interface Windows {
  /** The next window; undefined at the end. Holds at most one window and one piece of the source. */
  next(): Promise<SpeechWindow | undefined>
  /** Starts the next window this many samples into the last one, instead of at its end. */
  restartAt(samples: number): void
  /** Ends the source, which may hold an open file and a program. */
  close(): Promise<void>
  /** Samples that were read. */
  readonly total: number
}

/** Cuts audio into windows of at most 30 seconds, in a pause between the 20th and the 30th second if there is one. */
export function createWindows(source: AsyncIterable<Float32Array>): Windows {
  const iterator = source[Symbol.asyncIterator]()
  const buffer = new Float32Array(WINDOW_SAMPLES)
  let filled = 0
  /** Samples of the last window that are used up. */
  let used = 0
  let piece: Float32Array = new Float32Array(0)
  let offset = 0
  let total = 0
  let isEnd = false

  const fill = async (): Promise<void> => {
    while (filled < WINDOW_SAMPLES && !isEnd) {
      if (piece.length === 0) {
        const { value, done } = await iterator.next()
        isEnd = done === true
        if (isEnd) return
        piece = value
        total += piece.length
      }
      const part = piece.subarray(0, WINDOW_SAMPLES - filled)
      // Files with floats may hold what is not a number.
      buffer.set(
        part.every(Number.isFinite) ? part : part.map((sample) => (Number.isFinite(sample) ? sample : 0)),
        filled,
      )
      filled += part.length
      piece = piece.subarray(part.length)
    }
  }

  return {
    get total() {
      return total
    },
    next: async () => {
      buffer.copyWithin(0, used, filled)
      filled -= used
      offset += used
      used = 0
      await fill()
      if (filled === 0) return undefined
      // A full buffer without anything behind it ends the audio too, which its next reading shows.
      const pause = filled < WINDOW_SAMPLES ? filled : findPause(buffer)
      used = pause ?? filled
      const samples = buffer.slice(0, used)
      return { samples, offset, isWhole: pause !== undefined, isSilent: isSilent(samples) }
    },
    restartAt: (samples) => {
      used = Math.min(Math.max(samples, 1), used)
    },
    close: async () => {
      await iterator.return?.()
    },
  }
}

/** The middle of the quietest frame, if it is a pause. */
function findPause(samples: Float32Array): number | undefined {
  const average = measure(samples)
  let quietest = Number.POSITIVE_INFINITY
  let place = 0
  for (let start = EARLIEST_CUT; start + FRAME <= samples.length; start += FRAME / 2) {
    const loudness = measure(samples.subarray(start, start + FRAME))
    // of equal ones the last, which makes the longest window
    if (loudness <= quietest) [quietest, place] = [loudness, start + FRAME / 2]
  }
  return quietest <= average * PAUSE_RATIO ? place : undefined
}

/** Root of the mean square. */
function measure(samples: Float32Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return Math.sqrt(sum / samples.length)
}

function isSilent(samples: Float32Array): boolean {
  return samples.every((sample) => Math.abs(sample) <= SILENCE_PEAK)
}
