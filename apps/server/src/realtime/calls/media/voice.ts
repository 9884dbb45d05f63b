import { OPUS_FRAME_MS, type OpusFrameEncoder } from '@svc/audio/opus'
import { SvcError } from '@svc/errors'
import type { Speaker } from '../../ports.ts'
import type { RtpStream } from '../rtp/rtp-stream.ts'
import { createFrameQueue } from './frame-queue.ts'

/** Samples a second of the voice as it is encoded. */
export const VOICE_RATE = 24_000

/** Sound that may wait to be played. */
const MAX_QUEUED_MS = 4000
/** Frames that are sent before their time, so that a late tick leaves no hole. */
const FRAMES_AHEAD = 2
/** Frames that are sent at once after a stop of the process; time is skipped beyond. */
const MAX_BURST = 10
/** Sound that is gathered before a stretch begins, for at most as long. */
const FIRST_MS = 60
/** Frames of silence after the sound, with which its end leaves the codec. */
const FRAMES_AFTER = 5

/** The voice of the model in a call: a {@link Speaker} that sends frames of Opus as time goes on. */
export interface Voice extends Speaker {
  /** Sends what is due: every 20 ms. @param now milliseconds of a clock that never goes back */
  tick(now: number): void
  /** Drops everything; waits end. */
  close(): void
}

/** Parts of {@link createVoice}. */
export interface VoiceOptions {
  readonly encoder: OpusFrameEncoder
  readonly stream: Pick<RtpStream, 'send'>
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
}

/** Creates the voice of a call. */
export function createVoice(options: VoiceOptions): Voice {
  const { encoder, stream, now: readNow } = options
  const queue = createFrameQueue({ sampleRate: VOICE_RATE, frameSamples: encoder.frameSamples })
  /** When the first frame of the present stretch was due; undefined while nothing is sent. */
  let begunAt: number | undefined
  let framesOfStretch = 0
  let silentFrames = 0
  let soundMs = 0
  let isPaused = false
  let isPlaying = false
  let isClosed = false
  /** When sound came into the empty queue. */
  let waitingSince = 0
  /** Wakes those who wait for room in the queue, or for its end. */
  const wakers: (() => void)[] = []

  function wake(): void {
    for (const waker of wakers.splice(0)) waker()
  }

  /** Milliseconds of sent sound whose time is still to come. */
  function soundAheadMs(now: number): number {
    if (begunAt === undefined) return 0
    return Math.max(0, begunAt + (framesOfStretch - silentFrames) * OPUS_FRAME_MS - now)
  }

  /** The next frame; undefined when the stretch is over. */
  function nextFrame(): Float32Array | undefined {
    const sound = queue.shift()
    if (sound !== undefined) {
      silentFrames = 0
      soundMs += OPUS_FRAME_MS
      return sound
    }
    if (silentFrames >= FRAMES_AFTER) return undefined
    silentFrames++
    return new Float32Array(encoder.frameSamples)
  }

  function begin(now: number): void {
    begunAt = now
    framesOfStretch = 0
    silentFrames = 0
    isPlaying = true
  }

  function endStretch(): void {
    begunAt = undefined
    framesOfStretch = 0
  }

  function sendDue(now: number, begun: number): void {
    const due = Math.floor((now - begun) / OPUS_FRAME_MS) + 1 + FRAMES_AHEAD
    const behind = due - framesOfStretch
    // The time of a long stop is left out: the client has heard silence.
    if (behind > MAX_BURST) begunAt = begun + (behind - MAX_BURST) * OPUS_FRAME_MS
    for (let left = Math.min(behind, MAX_BURST); left > 0; left--) {
      const frame = nextFrame()
      if (frame === undefined) {
        endStretch()
        return
      }
      stream.send(encoder.encode(frame), { isFirst: framesOfStretch === 0, now })
      framesOfStretch++
    }
  }

  /** Resolves at the next change of the queue. */
  function nextChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done)
        resolve()
      }
      signal.addEventListener('abort', done)
      wakers.push(done)
    })
  }

  function drop(): void {
    queue.clear()
    soundMs = 0
    isPlaying = false
    isPaused = false
    endStretch()
    wake()
  }

  return {
    async play(samples, { sampleRate, signal }) {
      signal.throwIfAborted()
      if (isClosed) throw new SvcError('cancelled', 'the call is over', { code: 'call_over' })
      if (queue.isEmpty) waitingSince = readNow()
      queue.push(samples, sampleRate)
      while (queue.ms > MAX_QUEUED_MS && !isClosed) {
        signal.throwIfAborted()
        await nextChange(signal)
      }
      signal.throwIfAborted()
    },
    pause() {
      isPaused = true
      endStretch()
    },
    resume() {
      isPaused = false
    },
    clear: drop,
    get playedMs() {
      return Math.max(0, soundMs - soundAheadMs(readNow()))
    },
    async drained({ signal }) {
      while (!isClosed && (isPlaying || !queue.isEmpty)) {
        signal.throwIfAborted()
        await nextChange(signal)
      }
      signal.throwIfAborted()
    },
    tick(now) {
      if (isClosed || isPaused) return
      const isReady = queue.ms >= FIRST_MS || now - waitingSince >= FIRST_MS
      if (begunAt === undefined && !queue.isEmpty && isReady) begin(now)
      if (begunAt !== undefined) sendDue(now, begunAt)
      if (isPlaying && queue.isEmpty && soundAheadMs(now) === 0) isPlaying = false
      wake()
    },
    close() {
      if (isClosed) return
      isClosed = true
      queue.clear()
      endStretch()
      wake()
    },
  }
}
