import type { CreateTurnTaker, LiveTranscription, TurnListener, TurnTaker } from '../ports.ts'
import { createItem, type Item } from './conversation.ts'
import { badEvent, failedStage, toErrorEvent } from './event-error.ts'
import { hearItem } from './hear-item.ts'
import { newId } from './ids.ts'
import type { InputAudio } from './input-audio.ts'
import type { Responses } from './responses.ts'
import type { SessionContext } from './session-context.ts'
import { createSoundWatch } from './sound-watch.ts'
import type { BegunTurn } from './turn-caller.ts'

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
  readonly responses: Pick<Responses, 'answerTurn' | 'interrupt' | 'hold' | 'resume' | 'tick'>
  readonly createTurnTaker: CreateTurnTaker
}

/** A longer turn is cut at its beginning. */
const MAX_TURN_MS = 90_000
/** Shorter sound is not worth a turn. */
const MIN_TURN_MS = 100
/** Kept sound of a session whose turns are detected: the longest turn and what precedes it. */
const KEPT_MS = MAX_TURN_MS + 15_000
/** Two moments that differ less are the same. */
const SAME_MS = 50
/** Longest silence with which turns end that are judged by their words. */
const MAX_SILENCE_MS = 10_000

/** Creates the turns of a session. */
export function createTurns({ context, input, responses, createTurnTaker }: TurnsParts): Turns {
  const { conversation, emit, stages } = context
  /** The id of the item that the present turn becomes. */
  let nextId = newId('item')
  let written: { readonly startMs: number; readonly endMs: number; readonly text: string } | undefined
  let live: LiveTranscription | undefined
  let listening: Promise<BegunTurn> | undefined

  /** The right to listen, asked for anew with each turn. */
  function listen(): Promise<BegunTurn> {
    listening ??= context.begin({ signal: context.signal })
    return listening
  }
  function stopListening(): void {
    listening?.then(
      (turn) => turn.close(),
      () => undefined,
    )
    listening = undefined
  }

  function commit(startMs: number, endMs: number): Item {
    const from = Math.max(startMs, endMs - MAX_TURN_MS)
    const { sound } = input()
    const samples = sound.read(from, endMs)
    const saidAt = context.clock.monotonic() - (sound.endMs - endMs)
    sound.dropBefore(endMs)
    const item = createItem(
      { type: 'message', status: 'completed', role: 'user', content: [{ type: 'input_audio', transcript: null }] },
      nextId,
    )
    nextId = newId('item')
    item.saidAt = saidAt
    const previous = conversation.append(item)
    void emit({ type: 'input_audio_buffer.committed', previous_item_id: previous, item_id: item.id })
    void emit({ type: 'conversation.item.added', previous_item_id: previous, item: item.fields })
    void emit({ type: 'conversation.item.done', previous_item_id: previous, item: item.fields })
    if (stages.facts.isAnyToAny) item.samples = samples
    item.heard = hearItem(item, { samples, contentIndex: 0, text: knownText(from, endMs), live: takeLive() }, context)
    // a response that needs the words fails with it; nobody else has to know
    item.heard.catch(() => undefined)
    written = undefined
    stopListening()
    return item
  }
  /** The transcription that has followed the turn, where its text counts. */
  function takeLive(): LiveTranscription | undefined {
    const followed = live
    live = undefined
    if (!stages.facts.retranscribes) return followed
    followed?.close()
    return undefined
  }
  /** The text of a turn that was written down before its last silence. */
  function knownText(startMs: number, endMs: number): string | undefined {
    if (written === undefined || stages.facts.retranscribes) return undefined
    const { turnDetection } = context.settings
    const silenceMs = turnDetection?.type === 'server_vad' ? turnDetection.silenceDurationMs : MAX_SILENCE_MS
    const restMs = endMs - written.endMs
    const isSame = Math.abs(written.startMs - startMs) <= SAME_MS && restMs >= -SAME_MS && restMs <= silenceMs + SAME_MS
    return isSame ? written.text : undefined
  }
  function forget(): void {
    live?.close()
    live = undefined
    written = undefined
  }
  async function followLive(startMs: number): Promise<void> {
    const turn = nextId
    const { caller, signal } = await listen()
    if (turn !== nextId || context.signal.aborted) return
    forget()
    live = stages.transcribeLive(context.settings.transcription ?? {}, { caller, signal })
    const { sound } = input()
    live?.hear(sound.read(startMs, sound.endMs))
  }
  function report(error: unknown): void {
    if (!context.signal.aborted) void emit(toErrorEvent(failedStage('processing_error', error)))
  }

  const listener: TurnListener = {
    speechStarted({ startMs }) {
      void emit({ type: 'input_audio_buffer.speech_started', audio_start_ms: Math.round(startMs), item_id: nextId })
      if (stages.facts.transcribesLive) followLive(startMs).catch(report)
    },
    speechStopped({ startMs, endMs }) {
      void emit({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: Math.round(endMs), item_id: nextId })
      const { settings } = context
      const item = commit(startMs, endMs)
      if (settings.type === 'transcription' || settings.turnDetection?.createResponse === false) return
      if (!stages.facts.recognizesSpeakers) responses.answerTurn()
      // who may not speak gets no answer
      else item.heard?.then(responses.answerTurn, () => undefined)
    },
    hold: responses.hold,
    resume: responses.resume,
    interrupt: responses.interrupt,
    timedOut({ startMs, endMs }) {
      void emit({
        type: 'input_audio_buffer.timeout_triggered',
        audio_start_ms: Math.round(startMs),
        audio_end_ms: Math.round(endMs),
        item_id: nextId,
      })
      commit(startMs, endMs)
      if (context.settings.type !== 'transcription') responses.answerTurn()
    },
    failed: report,
  }
  const sounds = createSoundWatch({ context, input, itemId: () => nextId, listen, report })
  const taker = createTurnTaker({
    listener,
    async detectSpeech(samples, { signal }) {
      const { caller, signal: begun } = await listen()
      return stages.detectSpeech(samples, { caller, signal: AbortSignal.any([signal, begun]) })
    },
    async transcribe({ startMs, endMs }, { signal }) {
      if (live !== undefined) return live.text
      if (!stages.facts.transcribes) return ''
      const { caller, signal: begun } = await listen()
      const call = { caller, signal: AbortSignal.any([signal, begun]) }
      const samples = input().sound.read(startMs, endMs)
      written = undefined
      let text = ''
      for await (const part of stages.transcribe(samples, context.settings.transcription ?? {}, call)) {
        if (part.type === 'done') text = part.text
      }
      written = { startMs, endMs, text }
      return text
    },
  })
  taker.set(context.settings.turnDetection)

  return {
    taker,
    hear(samples) {
      live?.hear(samples)
      responses.tick()
      sounds.hear()
      if (context.settings.turnDetection === null) return
      taker.hear(samples)
      const { sound } = input()
      if (sound.endMs - sound.startMs > KEPT_MS) sound.dropBefore(sound.endMs - KEPT_MS)
    },
    commit() {
      if (context.settings.turnDetection !== null)
        throw badEvent('not_implemented', 'turns are detected in this session: set turn_detection to null to commit by hand')
      const { startMs, endMs } = input().sound
      if (endMs - startMs < MIN_TURN_MS)
        throw badEvent('input_audio_buffer_commit_empty', `the buffer has less than ${MIN_TURN_MS} ms of sound`)
      commit(startMs, endMs)
      taker.clear()
    },
    clear() {
      input().sound.clear()
      forget()
      taker.clear()
      void emit({ type: 'input_audio_buffer.cleared' })
    },
    update: () => taker.set(context.settings.turnDetection),
    close() {
      taker.close()
      forget()
      stopListening()
    },
  }
}
