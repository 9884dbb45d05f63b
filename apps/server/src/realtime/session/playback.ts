import type { Clock } from '../../ports.ts'
import { HEARD_RATE, type Speaker } from '../ports.ts'
import { createRateChange, type RateChange } from './sound-format.ts'

/** The voice of one item on its way to the ear of the client. */
export interface Playback {
  readonly itemId: string
  readonly contentIndex: number
  readonly responseId: string
  /** Milliseconds of sound that left. */
  readonly sentMs: number
  /** Milliseconds that the client can have heard. */
  readonly heardMs: number
  /** Notes samples that leave. */
  sent(samples: Float32Array, sampleRate: number): void
  /** Gives the sound at the heard rate that was played since the last call. */
  takeHeard(): Float32Array | undefined
  /** Whether all that was sent can have been heard. */
  readonly isOver: boolean
}

/** Most sound that waits to be compared with what the session hears, in samples. */
const MAX_KEPT = HEARD_RATE * 120

/**
 * Follows the voice of an item. A speaker knows what was played. A client that plays the events itself has heard no more
 * than what was sent, and no more than the time since the first of it.
 */
export function createPlayback(
  item: Pick<Playback, 'itemId' | 'contentIndex' | 'responseId'>,
  {
    clock,
    speaker,
    follows,
  }: {
    readonly clock: Pick<Clock, 'monotonic'>
    readonly speaker?: Speaker | undefined
    /** Whether the sound is compared with what the session hears. */
    readonly follows: boolean
  },
): Playback {
  const change: RateChange = createRateChange(HEARD_RATE)
  const before = speaker?.playedMs ?? 0
  let startedAt: number | undefined
  let sentMs = 0
  let kept: Float32Array[] = []
  let keptSamples = 0
  let taken = 0

  const heardMs = (): number => {
    if (speaker !== undefined) return Math.max(0, Math.min(sentMs, speaker.playedMs - before))
    return startedAt === undefined ? 0 : Math.min(sentMs, clock.monotonic() - startedAt)
  }
  return {
    ...item,
    get sentMs() {
      return sentMs
    },
    get heardMs() {
      return heardMs()
    },
    get isOver() {
      return heardMs() >= sentMs
    },
    sent(samples, sampleRate) {
      startedAt ??= clock.monotonic()
      sentMs += (samples.length / sampleRate) * 1000
      if (!follows || keptSamples > MAX_KEPT) return
      const heard = change.push(samples, sampleRate)
      kept.push(heard)
      keptSamples += heard.length
    },
    takeHeard() {
      const due = Math.floor((heardMs() * HEARD_RATE) / 1000) - taken
      if (due <= 0 || keptSamples === 0) return undefined
      const out = new Float32Array(Math.min(due, keptSamples))
      let filled = 0
      while (filled < out.length) {
        const first = kept[0] as Float32Array
        const part = first.subarray(0, out.length - filled)
        out.set(part, filled)
        filled += part.length
        if (part.length === first.length) kept = kept.slice(1)
        else kept[0] = first.subarray(part.length)
      }
      keptSamples -= out.length
      taken += out.length
      return out
    },
  }
}
