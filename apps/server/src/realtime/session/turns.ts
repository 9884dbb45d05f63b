import type { CreateTurnTaker, TurnListener, TurnTaker } from '../ports.ts'
import { createItem, type Item } from './conversation.ts'
import { badEvent, failedStage, toErrorEvent } from './event-error.ts'
import { hearItem } from './hear-item.ts'
import { newId } from './ids.ts'
import type { InputAudio } from './input-audio.ts'
import { createListening } from './listening.ts'
import type { Responses } from './responses.ts'
import type { SessionContext } from './session-context.ts'
import { createSoundWatch } from './sound-watch.ts'
import { createTurnWords } from './turn-words.ts'
import type { VoiceOutput } from './voice-output.ts'

/** The turns of the person who speaks. */
export interface Turns {
  readonly taker: TurnTaker
  /** Takes sound that was heard just now. */
  hear(samples: Float32Array): void
  /** Commits all that is in the buffer. @throws {SvcError} `not_implemented`, `input_audio_buffer_commit_empty` */
  commit(): void
  /** Forgets what is in the buffer. */
  clear(): void
  /** Follows changed settings. */
  update(): void
  close(): void
}

/** Parts of {@link createTurns}. */
export interface TurnsParts {
  readonly context: SessionContext
  readonly input: () => InputAudio
  readonly responses: Pick<Responses, 'answerTurn' | 'interrupt'>
  readonly voiceOutput: Pick<VoiceOutput, 'hold' | 'resume' | 'tick'>
  readonly createTurnTaker: CreateTurnTaker
}

/** A longer turn is cut at its beginning. */
const MAX_TURN_MS = 90_000
/** Shorter sound is not worth a turn. */
const MIN_TURN_MS = 100
/** Kept sound of a session whose turns are detected: the longest turn and what precedes it. */
const KEPT_MS = MAX_TURN_MS + 15_000

/** Creates the turns of a session. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one short function for each event of a turn
export function createTurns({ context, input, responses, voiceOutput, createTurnTaker }: TurnsParts): Turns {
  const { conversation, emit, stages } = context
  const listening = createListening(context)
  const words = createTurnWords(context, { input, listening })
  /** The id of the item that the present turn becomes. */
  let nextId = newId('item')

  function report(error: unknown): void {
    if (!context.signal.aborted) void emit(toErrorEvent(failedStage('processing_error', error)))
  }
  /** Makes an item of a stretch of heard sound. @param startMs of the longest turn at most */
  function commit(startMs: number, endMs: number, maxMs = MAX_TURN_MS): Item {
    const turn = { startMs: Math.max(startMs, endMs - maxMs), endMs }
    const { sound } = input()
    const samples = sound.read(turn.startMs, endMs)
    const content = [{ type: 'input_audio', transcript: null }]
    const item = createItem({ type: 'message', status: 'completed', role: 'user', content }, nextId)
    item.saidAt = context.clock.monotonic() - (sound.endMs - endMs)
    nextId = newId('item')
    sound.dropBefore(endMs)
    input().settle()
    const place = { previous_item_id: conversation.append(item) }
    void emit({ type: 'input_audio_buffer.committed', ...place, item_id: item.id })
    void emit({ type: 'conversation.item.added', ...place, item: item.fields })
    void emit({ type: 'conversation.item.done', ...place, item: item.fields })
    item.heard = hearItem(
      item,
      { sound: { bytes: samples.byteLength, read: async () => samples }, contentIndex: 0, ...words.take(turn) },
      context,
    )
    // a response that needs the words fails with it; nobody else has to know
    item.heard.catch(() => undefined)
    listening.end()
    return item
  }
  function answer(item: Item): void {
    if (context.settings.type === 'transcription') return
    // who may not speak gets no answer
    if (stages.facts.recognizesSpeakers) item.heard?.then(responses.answerTurn, () => undefined)
    else responses.answerTurn()
  }

  const listener: TurnListener = {
    speechStarted({ startMs }) {
      void emit({ type: 'input_audio_buffer.speech_started', audio_start_ms: Math.round(startMs), item_id: nextId })
      // clients stop playing at this event, and look no more at a response that has ended
      if (context.settings.turnDetection?.interruptResponse) responses.interrupt()
      words.follow(startMs).catch(report)
    },
    speechStopped({ startMs, endMs }) {
      void emit({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: Math.round(endMs), item_id: nextId })
      const item = commit(startMs, endMs)
      item.wasDetected = true
      if (context.settings.turnDetection?.createResponse !== false) answer(item)
    },
    timedOut({ startMs, endMs }) {
      const stretch = { audio_start_ms: Math.round(startMs), audio_end_ms: Math.round(endMs) }
      void emit({ type: 'input_audio_buffer.timeout_triggered', ...stretch, item_id: nextId })
      answer(commit(startMs, endMs))
    },
    hold: voiceOutput.hold,
    resume: voiceOutput.resume,
    interrupt: () => undefined,
    failed: report,
  }
  const sounds = createSoundWatch({ context, input, itemId: () => nextId, listening, report })
  const taker = createTurnTaker({
    listener,
    detectSpeech: async (samples, { signal }) => stages.detectSpeech(samples, await listening.call(signal)),
    transcribe: words.write,
  })
  taker.set(context.settings.turnDetection)

  return {
    taker,
    hear(samples) {
      words.hear(samples)
      voiceOutput.tick()
      sounds.hear()
      // always: the times of turn taking count the sound that it hears
      taker.hear(samples)
      if (context.settings.turnDetection === null) return
      const { sound } = input()
      if (sound.endMs - sound.startMs > KEPT_MS) sound.dropBefore(sound.endMs - KEPT_MS)
    },
    commit() {
      if (context.settings.turnDetection !== null) throw isDetected()
      const { startMs, endMs } = input().sound
      if (endMs - startMs < MIN_TURN_MS)
        throw badEvent('input_audio_buffer_commit_empty', `the buffer has less than ${MIN_TURN_MS} ms of sound`)
      commit(startMs, endMs, Number.POSITIVE_INFINITY)
      taker.clear()
    },
    clear() {
      input().clear()
      words.forget()
      taker.clear()
      void emit({ type: 'input_audio_buffer.cleared' })
    },
    update: () => taker.set(context.settings.turnDetection),
    close() {
      taker.close()
      words.forget()
      listening.end()
    },
  }
}

function isDetected() {
  return badEvent('not_implemented', 'turns are detected in this session: set turn_detection to null to commit by hand')
}
