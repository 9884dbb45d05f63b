import type { Speaker, TurnTaker } from '../ports.ts'
import type { OutputMessage } from './output-message.ts'
import { createPlayback, type Playback } from './playback.ts'
import type { Response } from './response.ts'
import type { SessionContext } from './session-context.ts'
import type { TurnClock } from './turn-clock.ts'
import { createEventSink, createGate, createSpeakerSink, type SoundSink } from './voice.ts'

/** The sound of a message that is made. */
export interface Sounding {
  readonly response: Response
  readonly message: OutputMessage
  readonly times: TurnClock
  readonly signal: AbortSignal
}

/** A voice that was cut off. */
export interface CutVoice {
  readonly playback: Playback
  readonly heardMs: number
}

/** The voice of the model on its way to the ear of the client. */
export interface VoiceOutput {
  openSink(sounding: Sounding): SoundSink
  /**
   * Drops what is not played.
   *
   * @param unfinishedId response that was still made: its text that is not spoken yet goes too
   * @returns the voice that was cut off; undefined where all of it was heard
   */
  silence(unfinishedId?: string): CutVoice | undefined
  /** Notes that the client, which plays the sound of events, has stopped the voice of an item. */
  stopped(itemId: string): void
  /** Lets no more sound out. */
  hold(): void
  resume(): void
  /** Notes that time has passed: gives what was played to turn taking. */
  tick(): void
}

/** Parts of {@link createVoiceOutput}. */
export interface VoiceOutputParts {
  readonly context: SessionContext
  readonly turnTaker: () => Pick<TurnTaker, 'setSpeaking' | 'heardOurselves'>
  /** Whether more sound of the present voice may come. */
  readonly isMaking: () => boolean
}

/** Creates the output of a session. */
export function createVoiceOutput({ context, turnTaker, isMaking }: VoiceOutputParts): VoiceOutput {
  const { peer, clock, emit } = context
  const gate = createGate()
  let playback: Playback | undefined

  function stop(): void {
    playback = undefined
    gate.release()
    // turn taking may be in the middle of a decision
    queueMicrotask(() => {
      if (playback === undefined) turnTaker().setSpeaking(false)
    })
  }
  /** Tells of a voice that the server plays itself, and of its end. */
  async function follow(speaker: Speaker, response: Response, followed: Playback): Promise<void> {
    void emit({ type: 'output_audio_buffer.started', response_id: response.id })
    try {
      await response.ended
      await speaker.drained({ signal: context.signal })
    } catch {
      return
    }
    if (playback !== followed) return
    stop()
    void emit({ type: 'output_audio_buffer.stopped', response_id: response.id })
  }
  function start({ response, times }: Sounding, followed: Playback): void {
    times.note('firstAudioMs')
    context.hasSpoken = true
    playback = followed
    turnTaker().setSpeaking(true)
    if (peer.speaker !== undefined) void follow(peer.speaker, response, followed)
  }

  return {
    openSink(sounding) {
      const { response, message, signal } = sounding
      const { speaker } = peer
      const place = { itemId: message.item.id, contentIndex: 0, responseId: response.id }
      const followed = createPlayback(place, { clock, speaker, follows: context.settings.turnDetection !== null })
      const shared = { playback: followed, signal, onStart: () => start(sounding, followed) }
      return speaker === undefined
        ? createEventSink(message, { ...shared, format: response.settings.output.format, gate })
        : createSpeakerSink(speaker, shared)
    },
    silence(unfinishedId) {
      const cutOff = playback
      gate.release()
      if (cutOff === undefined) return undefined
      const { heardMs, sentMs } = cutOff
      peer.speaker?.clear()
      stop()
      if (peer.speaker !== undefined) void emit({ type: 'output_audio_buffer.cleared', response_id: cutOff.responseId })
      const isCut = heardMs < sentMs || cutOff.responseId === unfinishedId
      return isCut ? { playback: cutOff, heardMs } : undefined
    },
    stopped(itemId) {
      if (peer.speaker === undefined && playback?.itemId === itemId) stop()
    },
    hold() {
      gate.hold()
      peer.speaker?.pause()
    },
    resume() {
      gate.release()
      peer.speaker?.resume()
    },
    tick() {
      if (playback === undefined) return
      const heard = playback.takeHeard()
      if (heard !== undefined) turnTaker().heardOurselves(heard)
      if (peer.speaker === undefined && playback.isOver && !isMaking()) stop()
    },
  }
}
