import type { SvcError } from '@svc/errors'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { PredictionEvent } from '../inference/core/events.ts'
import type { InnerCaller } from '../inference/core/inner-context.ts'

/**
 * Samples a second of the sound that a session hears: one channel, -1..1. Formats of clients are converted where sound
 * comes in. Times of a session are milliseconds of this sound since its beginning.
 */
export const HEARD_RATE = 16_000

/** An event that goes to the client, as JSON. The session adds `event_id`. */
export interface ServerEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** The end of a session at which the client is: a WebSocket, or a call over WebRTC. */
export interface RealtimePeer {
  readonly transport: 'websocket' | 'webrtc'
  /** Aborts when the client is gone or the server stops. */
  readonly signal: AbortSignal
  /**
   * Sends an event; waits while the client is behind.
   *
   * @throws {SvcError} `cancelled` when the client is gone
   */
  send(event: ServerEvent): Promise<void>
  /** Plays sound itself. Absent where sound travels in events, whose client plays it. */
  readonly speaker?: Speaker | undefined
  /** Ends the session from here; a second time does nothing. */
  close(code: 1000 | 1001 | 1008 | 1011 | 1013, reason: string): void
}

/** Plays the voice of the model, and knows how much of it has been heard. */
export interface Speaker {
  /** Adds samples of one channel, -1..1. Waits while more than a few seconds are not played yet. */
  play(samples: Float32Array, options: { readonly sampleRate: number; readonly signal: AbortSignal }): Promise<void>
  /** Stops for a while; what is left is kept. */
  pause(): void
  resume(): void
  /** Drops what is not played. */
  clear(): void
  /** Milliseconds that were played since the last {@link clear}. */
  readonly playedMs: number
  /** Resolves when everything is played, or dropped. */
  drained(options: { readonly signal: AbortSignal }): Promise<void>
}

/** A conversation with one client. */
export interface RealtimeSession {
  readonly id: string
  /** Takes an event of the client. Events are taken in order; a wrong one is answered with an error event. */
  receive(event: Uint8Array): Promise<void>
  /** Takes sound that came beside the events: a binary frame, or media. One channel, -1..1. */
  hear(samples: Float32Array, options: { readonly sampleRate: number }): Promise<void>
  /** Takes bytes of sound in the input format of the session, as binary frames carry them. */
  hearBytes(bytes: Uint8Array): Promise<void>
  /** Ends everything that runs. */
  close(): Promise<void>
}

/** Settings of turn taking, as the session has them; null commits by hand. */
export type TurnDetection =
  | {
      readonly type: 'server_vad'
      /** 0..1 */
      readonly threshold: number
      readonly prefixPaddingMs: number
      readonly silenceDurationMs: number
      readonly createResponse: boolean
      readonly interruptResponse: boolean
      readonly idleTimeoutMs?: number | undefined
    }
  | {
      readonly type: 'semantic_vad'
      readonly eagerness: 'low' | 'medium' | 'high' | 'auto'
      readonly createResponse: boolean
      readonly interruptResponse: boolean
    }

/** What turn taking decides. Times are milliseconds of the heard sound. */
export interface TurnListener {
  /**
   * A person has begun to speak; the padding before it is included. A response that is made or played is cancelled and cut
   * at what was heard, unless `interruptResponse` is off.
   */
  speechStarted(at: { readonly startMs: number }): void
  /** The turn is over: the sound from start to end is to be committed. */
  speechStopped(turn: { readonly startMs: number; readonly endMs: number }): void
  /** Somebody speaks over the model: its voice is held until {@link resume} or {@link interrupt}. */
  hold(): void
  /** The speech was none, an echo or a word of assent: the voice goes on where it was held. */
  resume(): void
  /** The speech is meant, and {@link speechStarted} follows at once. */
  interrupt(): void
  /** Nobody has spoken for the idle time. */
  timedOut(silence: { readonly startMs: number; readonly endMs: number }): void
  /** A stage of turn taking has failed; it goes on with the next sound. */
  failed(error: unknown): void
}

/** What turn taking needs. */
export interface TurnTakerParts {
  readonly listener: TurnListener
  /** Finds speech in sound of {@link HEARD_RATE}; seconds. */
  readonly detectSpeech: (
    samples: Float32Array,
    options: { readonly signal: AbortSignal },
  ) => Promise<readonly { readonly start: number; readonly end: number }[]>
  /** Writes down a stretch of the heard sound; empty where no model transcribes. The session reuses the text. */
  readonly transcribe: (
    stretch: { readonly startMs: number; readonly endMs: number },
    options: { readonly signal: AbortSignal },
  ) => Promise<string>
}

/** Decides who speaks when. It holds a bounded stretch of sound and no clock: time is the sound that is heard. */
export interface TurnTaker {
  /** Changes the settings; a turn that has begun goes on under them. */
  set(settings: TurnDetection | null): void
  /** Takes heard sound, in order. Resolves at once; more than a bound of unexamined sound is dropped from the front. */
  hear(samples: Float32Array): void
  /** Takes the voice of the model while it is played, at {@link HEARD_RATE}: its echo interrupts nothing. */
  heardOurselves(samples: Float32Array): void
  /** Says whether the voice of the model can be heard at the client. */
  setSpeaking(isSpeaking: boolean): void
  /** Forgets the sound so far: the client has cleared or committed its buffer. */
  clear(): void
  close(): void
}

/** Creates turn taking for a session. */
export type CreateTurnTaker = (parts: TurnTakerParts) => TurnTaker

/** In whose name a stage works, and until when. The rights and quotas of the caller hold for each call. */
export interface StageCall {
  readonly caller: InnerCaller
  readonly signal: AbortSignal
}

/** A message of the conversation as the compatible chat format writes it: the PII filter scans it in this form. */
export type StageMessage = Readonly<Record<string, unknown>>

/** A turn of the language model. */
export interface ThinkRequest {
  readonly messages: readonly StageMessage[]
  /** Functions of the client, as the compatible chat format lists them. */
  readonly tools: readonly unknown[]
  readonly toolChoice?: unknown
  /** Tools of MCP servers that the session names, as requests of responses list them. */
  readonly hostedTools?: readonly unknown[] | undefined
  /** Whether calls that waited for the consent of the caller may run, by their ids. */
  readonly approvals?: ReadonlyMap<string, boolean> | undefined
  readonly maxTokens?: number | undefined
  readonly temperature?: number | undefined
  /** Who has spoken, where the pipeline recognises speakers; the model learns of it as the pipeline's file says. */
  readonly speaker?: { readonly name: string | undefined } | undefined
  /**
   * Takes the choice of a pipeline that picks its answers from a list (`pipeline.classifier`), before the events. They
   * are those of the picked answer, or of the model where the list has none.
   */
  readonly onClassified?: ((result: ClassifierResult) => void) | undefined
}

/** How well each answer of a list fits what was said. */
export interface ClassifierResult {
  /** In the order of the list; they add up to 1. Empty where nothing was scored. */
  readonly scores: readonly { readonly id: string; readonly score: number }[]
  /** Empty where no answer fits. */
  readonly chosen: string
  readonly threshold: number
  /** Why no answer was chosen. */
  readonly fallback?: 'below_threshold' | 'no_words' | 'not_addressed' | undefined
  readonly latencyMs: number
}

/** A part of a transcript. The whole text comes last. */
export type HeardPart =
  | { readonly type: 'delta'; readonly text: string }
  | { readonly type: 'done'; readonly text: string; readonly seconds: number }

/** Speech while it is made: samples of one channel, -1..1. */
export interface MadeSpeech {
  readonly sampleRate: number
  readonly samples: AsyncIterable<Float32Array>
}

/** A transcription that runs while a person speaks. */
export interface LiveTranscription {
  hear(samples: Float32Array): void
  /** The text so far. */
  readonly text: string
  /** Ends the sound; gives the parts that are left, the whole text last. */
  end(): AsyncIterable<HeardPart>
  /** Drops it. */
  close(): void
}

/** What an any-to-any model says in one turn. */
export type AnyToAnyPart =
  | { readonly type: 'audio'; readonly samples: Float32Array; readonly sampleRate: number }
  | { readonly type: 'transcript'; readonly text: string }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly arguments: string }

/** Which stages a pipeline has, and how it holds conversations. */
export interface PipelineFacts {
  /** The name of the pipeline. */
  readonly name: string
  readonly detectsSpeech: boolean
  readonly transcribes: boolean
  /** Whether it can transcribe while a person speaks. */
  readonly transcribesLive: boolean
  readonly thinks: boolean
  readonly speaks: boolean
  /** One model hears and speaks; the other stages may be absent. */
  readonly isAnyToAny: boolean
  readonly classifiesSounds: boolean
  readonly recognizesSpeakers: boolean
  /** Whether turns pass the PII filter (`pii.scan_realtime`). */
  readonly isScanned: boolean
  /** Whether turns are also told who has spoken, to the client: those that are recognised, or all. */
  readonly announcesSpeakers: 'none' | 'known' | 'all'
  /** Where sounds are classified while they are heard: the length of a stretch, and the time between two. */
  readonly soundWindow?: { readonly windowMs: number; readonly hopMs: number } | undefined
  /** Whether a text that was written down while a person spoke is written down again when the turn is over. */
  readonly retranscribes: boolean
  /** Items that the language model is given, the latest; 0 = all. */
  readonly maxHistoryItems: number
  /** Sends the text of the model to speech by clause while it comes, and not at its end. */
  readonly speaksByClause: boolean
  /** The settings of turn taking that sessions begin with. */
  readonly turnDetection: TurnDetection | null
  /** The voice and the transcription model that sessions begin with. */
  readonly voice: string
  readonly transcriptionModel: string
}

/** The models of a pipeline, as stages of a conversation. */
export interface PipelineStages {
  readonly model: ModelConfig
  readonly facts: PipelineFacts
  /** Loads all models at once. @throws {SvcError} the failures, joined */
  load(call: StageCall): Promise<void>
  /** Refuses a caller who may not use the models, or whose quotas are used up. @throws {SvcError} */
  check(call: StageCall): Promise<void>
  detectSpeech(
    samples: Float32Array,
    call: StageCall,
  ): Promise<readonly { readonly start: number; readonly end: number }[]>
  transcribe(
    samples: Float32Array,
    options: { readonly language?: string | undefined; readonly prompt?: string | undefined },
    call: StageCall,
  ): AsyncIterable<HeardPart>
  /** Starts a transcription that follows the sound; undefined where the model cannot. */
  transcribeLive(
    options: { readonly language?: string | undefined; readonly prompt?: string | undefined },
    call: StageCall,
  ): LiveTranscription | undefined
  /** Nothing runs before the first pull; ending the iteration early ends the prediction. */
  think(request: ThinkRequest, call: StageCall): AsyncIterable<readonly PredictionEvent[]>
  speak(
    text: string,
    options: { readonly voice?: string | undefined; readonly speed?: number | undefined },
    call: StageCall,
  ): Promise<MadeSpeech>
  /** One turn of an any-to-any model. */
  converse(
    turn: {
      readonly samples: Float32Array
      readonly instructions: string
      readonly voice?: string | undefined
      readonly tools: readonly unknown[]
      /** Earlier messages; the model is asked anew at each turn. @default none */
      readonly history?: readonly StageMessage[] | undefined
    },
    call: StageCall,
  ): AsyncIterable<AnyToAnyPart>
  classifySounds(
    samples: Float32Array,
    call: StageCall,
  ): Promise<readonly { readonly label: string; readonly score: number }[]>
  /** Gives the speaker, and whether the turn counts (`voice_recognition`). Stages belong to one session. */
  recognizeSpeaker(
    samples: Float32Array,
    call: StageCall,
  ): Promise<{ readonly name: string | undefined; readonly isAccepted: boolean; readonly isSilent: boolean }>
  /**
   * Notes a turn that is over: its times go to the metrics and, where requests are traced, to a trace of its own with the
   * id of the turn. Never fails.
   */
  noteTurn(turn: FinishedTurn, caller: InnerCaller): void
  /** Shortens a long conversation: gives the messages to go on with. */
  compact(messages: readonly StageMessage[], call: StageCall): Promise<readonly StageMessage[]>
}

/** A turn that a response has ended. */
export interface FinishedTurn {
  readonly times: TurnTimes
  /** The end of speech, monotonic milliseconds. */
  readonly startedAt: number
  /** The error that ended it; undefined without one. */
  readonly failure?: SvcError | undefined
}

/** Times of one turn, in milliseconds since the end of speech; absent where a stage did not run. */
export interface TurnTimes {
  readonly transcribedMs?: number | undefined
  readonly firstTokenMs?: number | undefined
  readonly firstAudioMs?: number | undefined
  readonly doneMs?: number | undefined
}
