import { HEARD_RATE } from '../../ports.ts'
import { createSampleCleaner } from '../clean-samples.ts'
import { createSoundHistory } from '../sound-history.ts'
import { findDelay } from './find-delay.ts'
import { fitEcho, LEAD_TAPS, makeEcho } from './fit-echo.ts'
import { createRestFilter } from './rest-filter.ts'

/** Takes the echo of the own voice out of what is heard. */
export interface EchoCanceller {
  /** Takes sound that was played until now; `at` is the position in the heard sound at this time. */
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
/** Clients stop sending sound now and then, and go on playing ours. */
const MAX_DRIFT = 0.15 * HEARD_RATE
/** The way of the echo is learnt anew after so much sound. */
const FIT_EVERY = HEARD_RATE / 4
/** A way that leaves almost nothing is learnt anew more rarely: when it changes, more is left. */
const GOOD_FIT_EVERY = HEARD_RATE
const GOOD_FIT = 0.01
/** After so many ways in a row that explain too little, somebody speaks or there is no echo: the next one waits. */
const MAX_POOR_FITS = 3
/** When less than this part is left of a sound, the way of its echo is known well. */
const WELL_KNOWN = 0.1
/** Mean square of sound that can have an echo: -60 dB. */
const SILENCE = 1e-6

interface EchoPath {
  /** Samples by which the echo is later than the voice. */
  readonly delay: number
  readonly filter: Float64Array
}

const isLoud = (samples: Float32Array): boolean => samples.some((sample) => sample * sample > SILENCE)

export function createEchoCanceller(): EchoCanceller {
  const voice = createSoundHistory(KEPT)
  const clean = createSampleCleaner()
  const removeRest = createRestFilter()
  /** Position of the heard sound behind the latest sample of the voice that was not silent. */
  let loudUntil = Number.NEGATIVE_INFINITY
  /** From positions of the heard sound to those of the voice. */
  let offset = 0
  let path: EchoPath | undefined
  /** Position up to which a way was learnt last, whether it is used or not. */
  let triedUntil = Number.NEGATIVE_INFINITY
  let poorFits = 0
  /** What the way in use has left of the sound. */
  let leftPart = 1

  function isDue(end: number): boolean {
    if ((path === undefined || poorFits > 0) && poorFits <= MAX_POOR_FITS) return true
    return end - triedUntil >= (leftPart < GOOD_FIT ? GOOD_FIT_EVERY : FIT_EVERY)
  }

  const readAt = (from: number, to: number): Float32Array => voice.read(from + offset, to + offset)

  function learn(sound: Float32Array, at: number): EchoPath | undefined {
    const until = at + sound.length
    const known = readAt(at - MAX_DELAY, until + MAX_AHEAD)
    const delay = findDelay(sound, known, { earliest: -MAX_DELAY })
    return delay === undefined ? undefined : { delay, filter: fitEcho(sound, readVoice(delay, at, until)) }
  }

  /** Reads the voice whose echo is in a stretch. */
  function readVoice(delay: number, from: number, to: number): Float32Array {
    const move = LEAD_TAPS - delay
    return readAt(from + move, to + move)
  }

  return {
    play(samples, { at }) {
      const cleaned = clean(samples)
      voice.fillTo(at + offset - cleaned.length)
      voice.add(cleaned)
      const drift = voice.end - offset - at
      if (drift > MAX_DRIFT) {
        offset += drift
        path = undefined
        poorFits = 0
      }
      if (isLoud(cleaned)) loudUntil = voice.end - offset
    },
    isNear: (position) => position < loudUntil + MAX_DELAY,
    remove(sound, { at, count }) {
      const end = at + sound.length
      if (isDue(end)) {
        path = learn(sound, at)
        triedUntil = end
      }
      const wanted = sound.slice(sound.length - count)
      if (path === undefined) {
        if (isLoud(wanted)) poorFits += 1
        return wanted
      }
      const { delay, filter } = path
      const echo = makeEcho(readVoice(delay, end - count - filter.length, end), filter, count)
      const { left, part } = removeRest(wanted, echo)
      leftPart = part
      // the way has changed, or somebody speaks
      poorFits = part > WELL_KNOWN ? poorFits + 1 : 0
      // a way that was learnt before may be worse than none
      return part < 1 ? left : wanted
    },
  }
}
