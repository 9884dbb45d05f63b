import { OPUS_FRAME_MS } from '@svc/audio/opus'

/** Frames that are sent before their time, so that a late tick leaves no hole. */
const FRAMES_AHEAD = 2
/** Frames that are sent at once after a stop of the process; time is skipped beyond. */
const MAX_BURST = 10

/** Says when frames of a stretch of sound are due. Time is of a clock that never goes back, milliseconds. */
export interface Pacer {
  readonly isRunning: boolean
  /** Whether no frame of the stretch was sent yet. */
  readonly isAtFirst: boolean
  /** Frames of silence since the last sound. */
  readonly silentFrames: number
  begin(now: number): void
  end(): void
  /** Frames that are to be sent now. */
  countDue(now: number): number
  sent(isSound: boolean): void
  /** Milliseconds of sent sound whose time is still to come. */
  soundAheadMs(now: number): number
}

/** Creates a pacer. Late ticks do not move later frames. */
export function createPacer(): Pacer {
  let begunAt: number | undefined
  let frames = 0
  let silentFrames = 0

  return {
    get isRunning() {
      return begunAt !== undefined
    },
    get isAtFirst() {
      return frames === 0
    },
    get silentFrames() {
      return silentFrames
    },
    begin(now) {
      begunAt = now
      frames = 0
      silentFrames = 0
    },
    end() {
      begunAt = undefined
      frames = 0
    },
    countDue(now) {
      if (begunAt === undefined) return 0
      const due = Math.floor((now - begunAt) / OPUS_FRAME_MS) + 1 + FRAMES_AHEAD - frames
      if (due <= MAX_BURST) return due
      // The time of a long stop is left out: the client has heard silence.
      begunAt += (due - MAX_BURST) * OPUS_FRAME_MS
      return MAX_BURST
    },
    sent(isSound) {
      frames++
      silentFrames = isSound ? 0 : silentFrames + 1
    },
    soundAheadMs(now) {
      return begunAt === undefined ? 0 : Math.max(0, begunAt + (frames - silentFrames) * OPUS_FRAME_MS - now)
    },
  }
}
