import { HEARD_RATE } from '../ports.ts'
import { createSampleCleaner } from './clean-samples.ts'
import { type EchoCanceller, FIT_LENGTH } from './echo/echo-canceller.ts'
import { createLevelGate, type LevelGate } from './level-gate.ts'
import { createSoundHistory } from './sound-history.ts'

/** The heard sound that is not examined yet, and a little before it. Positions count samples. */
export interface SoundFeed {
  hear(samples: Float32Array): void
  /** Behind the newest sample. */
  readonly end: number
  /** The sound before this position has been examined. */
  examined: number
  readonly level: LevelGate
  /**
   * Gives sound without the echo of our own voice.
   *
   * @param from at least {@link CONTEXT} before `examined`; moved up to what is kept
   */
  read(from: number, to: number): { readonly from: number; readonly samples: Float32Array }
  /** Takes the echo out of the sound up to a position. @returns whether all that was heard was an echo */
  prepare(to: number): boolean
  /** Drops everything. */
  forget(): void
  /** Drops what is examined. */
  tidy(): void
}

/** More unexamined sound is dropped: sound may come faster than it is spoken, but not without end. */
const MAX_PENDING = 120 * HEARD_RATE
/** Sound before the unexamined part that can be read. */
export const CONTEXT = 1.2 * HEARD_RATE
/** Mean square of nothing: -60 dB. */
const SILENCE = 1e-6

export function createSoundFeed(echo: EchoCanceller): SoundFeed {
  const heard = createSoundHistory(MAX_PENDING + FIT_LENGTH)
  /** The same sound without the echo, as far as it was prepared. */
  const prepared = createSoundHistory(CONTEXT + 2 * HEARD_RATE)
  const clean = createSampleCleaner()
  const level = createLevelGate()
  let examined = 0

  function removeEcho(from: number, to: number): Float32Array {
    const at = Math.max(heard.start, from - FIT_LENGTH)
    return echo.remove(heard.read(at, to), { at, count: to - from })
  }

  return {
    level,
    get end() {
      return heard.end
    },
    get examined() {
      return examined
    },
    set examined(position) {
      examined = position
    },
    hear(samples) {
      const cleaned = clean(samples)
      heard.add(cleaned)
      level.hear(cleaned)
      examined = Math.max(examined, heard.start)
    },
    read(from, to) {
      const first = Math.min(to, Math.max(from, prepared.start))
      return { from: first, samples: prepared.read(first, to) }
    },
    prepare(to) {
      const from = Math.max(prepared.end, examined)
      prepared.fillTo(from)
      const isEchoed = from < to && level.lastActive > from && echo.isNear(from)
      const left = isEchoed ? removeEcho(from, to) : heard.read(from, to)
      prepared.add(left)
      return isEchoed && left.every((sample) => sample * sample <= SILENCE)
    },
    forget() {
      examined = heard.end
      heard.forgetBefore(examined)
      prepared.fillTo(examined)
      prepared.forgetBefore(examined)
    },
    tidy() {
      heard.forgetBefore(examined - FIT_LENGTH)
    },
  }
}
