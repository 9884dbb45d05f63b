import { OPUS_FRAME_MS, type OpusFrameEncoder } from '@svc/audio/opus'
import { SvcError } from '@svc/errors'
import type { Speaker } from '../../ports.ts'
import type { RtpStream } from '../rtp/rtp-stream.ts'
import { createChanges } from './changes.ts'
import { createFrameQueue } from './frame-queue.ts'
import { createPacer } from './pacer.ts'

/** Samples a second of the voice as it is encoded. */
export const VOICE_RATE = 24_000

/** Sound that may wait to be played. */
const MAX_QUEUED_MS = 4000
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

/** Creates the voice of a call. {@link Speaker.clear} ends a pause, too. */
export function createVoice({ encoder, stream, now: readNow }: VoiceOptions): Voice {
  const queue = createFrameQueue({ sampleRate: VOICE_RATE, frameSamples: encoder.frameSamples })
  const silence = new Float32Array(encoder.frameSamples)
  const pacer = createPacer()
  const changes = createChanges()
  const state = { soundMs: 0, isPaused: false, isPlaying: false, isClosed: false, waitingSince: 0 }

  /** Sends the next frame. @returns whether there was one */
  function sendFrame(now: number): boolean {
    const sound = queue.shift()
    if (sound === undefined && pacer.silentFrames >= FRAMES_AFTER) return false
    stream.send(encoder.encode(sound ?? silence), { isFirst: pacer.isAtFirst, now })
    pacer.sent(sound !== undefined)
    if (sound !== undefined) state.soundMs += OPUS_FRAME_MS
    return true
  }

  function sendDue(now: number): void {
    for (let left = pacer.countDue(now); left > 0; left--) {
      if (sendFrame(now)) continue
      pacer.end()
      return
    }
  }

  function beginIfReady(now: number): void {
    const isReady = queue.ms >= FIRST_MS || now - state.waitingSince >= FIRST_MS
    if (pacer.isRunning || queue.isEmpty || !isReady) return
    pacer.begin(now)
    state.isPlaying = true
  }

  async function waitWhile(isTrue: () => boolean, signal: AbortSignal): Promise<void> {
    while (!state.isClosed && isTrue()) {
      signal.throwIfAborted()
      await changes.next(signal)
    }
    signal.throwIfAborted()
  }

  return {
    async play(samples, { sampleRate, signal }) {
      signal.throwIfAborted()
      if (state.isClosed) throw new SvcError('cancelled', 'the call is over', { code: 'call_over' })
      if (queue.isEmpty) state.waitingSince = readNow()
      queue.push(samples, sampleRate)
      await waitWhile(() => queue.ms > MAX_QUEUED_MS, signal)
    },
    pause() {
      state.isPaused = true
      pacer.end()
    },
    resume() {
      state.isPaused = false
    },
    clear() {
      Object.assign(state, { soundMs: 0, isPlaying: false, isPaused: false })
      queue.clear()
      pacer.end()
      changes.tell()
    },
    get playedMs() {
      return Math.max(0, state.soundMs - pacer.soundAheadMs(readNow()))
    },
    drained: ({ signal }) => waitWhile(() => state.isPlaying || !queue.isEmpty, signal),
    tick(now) {
      if (state.isClosed || state.isPaused) return
      beginIfReady(now)
      sendDue(now)
      if (queue.isEmpty && pacer.soundAheadMs(now) === 0) state.isPlaying = false
      changes.tell()
    },
    close() {
      state.isClosed = true
      queue.clear()
      pacer.end()
      changes.tell()
    },
  }
}
