import { HEARD_RATE } from '../../ports.ts'
import { createSampleCleaner } from '../clean-samples.ts'
import { createSoundHistory } from '../sound-history.ts'
import { findDelay } from './find-delay.ts'
import { fitEcho, LEAD_TAPS } from './fit-echo.ts'

/** Takes the echo of the own voice out of what is heard. */
export interface EchoCanceller {
  /** Takes sound while it is played; `at` is the position in the heard sound at this time. */
  play(samples: Float32Array, options: { readonly at: number }): void
  /** Whether an echo may be in the sound from a position on. */
  isNear(position: number): boolean
  /**
   * Gives the end of a stretch without the echo. What is almost only echo is silent.
   *
   * @param sound with what was heard before it, {@link FIT_LENGTH} if there is as much
   * @param at position of the first sample
   * @param count samples of the end that are wanted
   */
  remove(sound: Float32Array, options: { readonly at: number; readonly count: number }): Float32Array
}

/** Sound by which the way of the echo is learnt: a second. */
export const FIT_LENGTH = HEARD_RATE
/** The latest echo: what clients buffer, the network and the room. */
const MAX_DELAY = 1.2 * HEARD_RATE
/** Clients may be ahead of what is known to be played. */
const MAX_AHEAD = 0.4 * HEARD_RATE
const KEPT = 6 * HEARD_RATE
const FRAME = HEARD_RATE / 50
/** A frame of which less is left was an echo. */
const LEAST_LEFT = 0.2
/** Mean square of sound that can have an echo: -60 dB. */
const SILENCE = 1e-6

export function createEchoCanceller(): EchoCanceller {
  const voice = createSoundHistory(KEPT)
  const clean = createSampleCleaner()
  /** Behind the latest sample that was not silent. */
  let loudUntil = Number.NEGATIVE_INFINITY

  return {
    play(samples, { at }) {
      const cleaned = clean(samples)
      voice.fillTo(at)
      voice.add(cleaned)
      if (cleaned.some((sample) => sample * sample > SILENCE)) loudUntil = voice.end
    },
    isNear: (position) => position < loudUntil + MAX_DELAY,
    remove(sound, { at, count }) {
      const wanted = sound.slice(sound.length - count)
      const known = voice.read(at - MAX_DELAY, at + sound.length + MAX_AHEAD)
      const delay = findDelay(sound, known, { earliest: -MAX_DELAY })
      if (delay === undefined) return wanted
      const aligned = voice.read(at - delay - LEAD_TAPS, at - delay + sound.length + LEAD_TAPS)
      const echo = fitEcho(sound, aligned, count)
      return subtract(wanted, echo)
    },
  }
}

function subtract(sound: Float32Array, echo: Float32Array): Float32Array {
  const left = sound.map((sample, index) => sample - (echo[index] ?? 0))
  for (let from = 0; from < left.length; from += FRAME) {
    const frame = left.subarray(from, from + FRAME)
    if (sumSquares(frame) < LEAST_LEFT * sumSquares(sound.subarray(from, from + FRAME))) frame.fill(0)
  }
  return left
}

function sumSquares(samples: Float32Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return sum
}
