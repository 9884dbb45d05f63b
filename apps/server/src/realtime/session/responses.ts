import type { RealtimeResponseRequest } from '@svc/wire/realtime'
import type { MadeSpeech, Speaker, StageCall, TurnTaker } from '../ports.ts'
import { type AnswerParts, answer } from './answer.ts'
import type { Item } from './conversation.ts'
import { badEvent, failedStage } from './event-error.ts'
import { listServerTools, type OutputMessage } from './output.ts'
import { createPlayback, type Playback } from './playback.ts'
import { createHistory } from './read-history.ts'
import { createResponse, type Response, type ResponseEnd } from './response.ts'
import type { RateLimit, SessionContext } from './session-context.ts'
import { updateAnswers } from './settings.ts'
import { createTurnClock, type TurnClock } from './turn-clock.ts'
import { createEventSink, createGate, createSpeakerSink, createVoice, type SoundSink } from './voice.ts'

/** The responses of a session: one at a time in its conversation, and few beside it. */
export interface Responses {
  /** The response of the conversation that is made now. */
  readonly active: Response | undefined
  /**
   * Answers a request of the client.
   *
   * @throws {SvcError} `conversation_already_has_active_response`, `too_many_responses`, `session_update_error`,
   *   `invalid_item_id`
   */
  create(request: RealtimeResponseRequest | undefined, readItem: ReadItem): void
  /** Answers a turn: now, or when the response under way has ended. */
  answerTurn(): void
  /** @throws {SvcError} `response_cancel_not_active` */
  cancel(id: string | undefined): void
  /** Cancels for somebody who speaks, and cuts the voice at what was heard. */
  interrupt(): void
  /** Drops what is not played. */
  clearOutput(): unknown
  hold(): void
  resume(): void
  /** Notes that time has passed: gives what was played to turn taking. */
  tick(): void
  close(): void
}

/** Makes an item of the input of a response. */
export type ReadItem = (item: NonNullable<RealtimeResponseRequest['input']>[number]) => Item

/** Parts of {@link createResponses}. */
export interface ResponsesParts {
  readonly context: SessionContext
  readonly turnTaker: () => Pick<TurnTaker, 'setSpeaking' | 'heardOurselves'>
  readonly readLimits: (options: { readonly signal: AbortSignal }) => Promise<readonly RateLimit[]>
  /** Shortens an item of the model. */
  readonly cut: (playback: Playback, heardMs: number) => void
}

interface Sounding {
  readonly response: Response
  readonly message: OutputMessage
  readonly times: TurnClock
  readonly signal: AbortSignal
}

/** Most responses beside the conversation. */
const MAX_BESIDE = 4

/** Creates the room of responses. */
export function createResponses({ context, turnTaker, readLimits, cut }: ResponsesParts): Responses {
  const { conversation, stages, peer, clock, emit } = context
  const gate = createGate()
  const readHistory = createHistory(stages)
  const beside = new Set<Response>()
  let active: Response | undefined
  let isTurnWaiting = false
  let playback: Playback | undefined

  function start(request: RealtimeResponseRequest | undefined, items: readonly Item[] | undefined): void {
    const isBeside = request?.conversation === 'none'
    const response = createResponse({
      settings: updateAnswers(context.settings.answers, request ?? {}, { facts: stages.facts, hasSpoken: false }),
      conversation: isBeside ? undefined : conversation,
      metadata: request?.metadata,
      emit,
      onEnd: ended,
    })
    if (isBeside) beside.add(response)
    else active = response
    run(response, items).then(
      (end) => response.end(end),
      (error: unknown) => response.end({ status: 'failed', error }),
    )
  }
  function ended(response: Response): void {
    beside.delete(response)
    if (active !== response) return
    active = undefined
    if (!isTurnWaiting || context.signal.aborted) return
    isTurnWaiting = false
    start(undefined, undefined)
  }

  async function run(response: Response, items: readonly Item[] | undefined): Promise<ResponseEnd> {
    const signal = AbortSignal.any([response.signal, context.signal])
    const turn = await context.begin({ signal })
    const read = items ?? [...conversation.items]
    const { monotonic } = clock
    const times = createTurnClock(read.at(-1)?.saidAt ?? monotonic(), monotonic)
    response.onEnd((end) => stages.noteTurn(times.finish(end), turn.caller))
    try {
      await tellLimits(turn.signal)
      const call = { caller: turn.caller, signal: turn.signal }
      const parts: AnswerParts = {
        response,
        stages,
        call,
        items: read,
        openVoice: (message) =>
          createVoice({
            speak: (text, speaking) => speak(text, response, speaking),
            call,
            sink: openSink({ response, message, times, signal: call.signal }),
            item: message.item,
            byClause: stages.facts.speaksByClause,
          }),
        openSink: (message) => openSink({ response, message, times, signal: call.signal }),
        listTools: (event) => listServerTools(conversation, event, emit),
        onText: () => times.note('firstTokenMs'),
        onHeard: () => times.note('transcribedMs'),
        readHistory,
        onClassified: ({ scores, chosen, threshold, fallback, latencyMs }) =>
          void emit({
            type: 'localai.classifier.result',
            response_id: response.id,
            ...{ scores, chosen, threshold, fallback, latency_ms: latencyMs },
          }),
      }
      return await answer(parts)
    } finally {
      turn.close()
    }
  }
  async function tellLimits(signal: AbortSignal): Promise<void> {
    const limits = await readLimits({ signal })
    if (limits.length > 0) await emit({ type: 'rate_limits.updated', rate_limits: limits })
  }

  async function speak(text: string, { settings }: Response, call: StageCall): Promise<MadeSpeech> {
    try {
      return await stages.speak(text, settings.output, call)
    } catch (error) {
      throw failedStage('tts_error', error)
    }
  }
  function openSink({ response, message, times, signal }: Sounding): SoundSink {
    const { speaker } = peer
    const place = { itemId: message.item.id, contentIndex: 0, responseId: response.id }
    const followed = createPlayback(place, { clock, speaker, follows: context.settings.turnDetection !== null })
    const onStart = (): void => {
      times.note('firstAudioMs')
      context.hasSpoken = true
      playback = followed
      turnTaker().setSpeaking(true)
      if (speaker !== undefined) announce(speaker, response, followed)
    }
    return speaker === undefined
      ? createEventSink(message, { format: response.settings.output.format, playback: followed, gate, signal, onStart })
      : createSpeakerSink(speaker, { playback: followed, signal, onStart })
  }
  /** Tells of a voice that the server plays itself. */
  function announce(speaker: Speaker, response: Response, followed: Playback): void {
    void emit({ type: 'output_audio_buffer.started', response_id: response.id })
    void stopLater(speaker, response, followed)
  }
  async function stopLater(speaker: Speaker, response: Response, followed: Playback): Promise<void> {
    const { signal } = context
    try {
      await new Promise<void>((resolve) => {
        if (response.isOver) resolve()
        else response.signal.addEventListener('abort', () => resolve(), { once: true })
      })
      await speaker.drained({ signal })
    } catch {
      return
    }
    if (playback !== followed) return
    stopPlaying()
    void emit({ type: 'output_audio_buffer.stopped', response_id: response.id })
  }
  function stopPlaying(): void {
    playback = undefined
    gate.release()
    turnTaker().setSpeaking(false)
  }
  /** Drops what is not played. @returns the voice that was cut off */
  function silence(): { readonly cutOff: Playback; readonly heardMs: number } | undefined {
    const cutOff = playback
    if (cutOff === undefined) return undefined
    const { heardMs, sentMs } = cutOff
    peer.speaker?.clear()
    stopPlaying()
    if (peer.speaker !== undefined) void emit({ type: 'output_audio_buffer.cleared', response_id: cutOff.responseId })
    return heardMs < sentMs ? { cutOff, heardMs } : undefined
  }

  return {
    get active() {
      return active
    },
    create(request, readItem) {
      const isBeside = request?.conversation === 'none'
      if (!isBeside && active !== undefined)
        throw badEvent(
          'conversation_already_has_active_response',
          `the conversation has a response in progress: ${active.id}; wait for its response.done`,
        )
      if (isBeside && beside.size >= MAX_BESIDE)
        throw badEvent('too_many_responses', `at most ${MAX_BESIDE} responses run beside the conversation`)
      start(request, request?.input == null ? undefined : request.input.map(readItem))
    },
    answerTurn() {
      if (active === undefined) start(undefined, undefined)
      else isTurnWaiting = true
    },
    cancel(id) {
      const known = [...beside, ...(active === undefined ? [] : [active])]
      const response = id === undefined ? active : known.find((one) => one.id === id)
      if (response === undefined)
        throw badEvent('response_cancel_not_active', 'there is no such response in progress', 'response_id')
      response.end({ status: 'cancelled', reason: 'client_cancelled' })
    },
    interrupt() {
      isTurnWaiting = false
      active?.end({ status: 'cancelled', reason: 'turn_detected' })
      gate.release()
      const cutOff = silence()
      if (cutOff !== undefined) cut(cutOff.cutOff, cutOff.heardMs)
    },
    clearOutput: silence,
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
      if (peer.speaker === undefined && playback.isOver && active === undefined) stopPlaying()
    },
    close() {
      for (const response of beside) response.end({ status: 'cancelled', reason: 'client_cancelled' })
      isTurnWaiting = false
      active?.end({ status: 'cancelled', reason: 'client_cancelled' })
      peer.speaker?.clear()
    },
  }
}
