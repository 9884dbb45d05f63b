import type { RealtimeSessionFields } from '@svc/wire/realtime'
import type { Clock, Logger } from '../../ports.ts'
import type { CreateTurnTaker, PipelineStages, RealtimePeer, ServerEvent } from '../ports.ts'
import type { Conversation } from './conversation.ts'
import type { SessionMemory } from './session-memory.ts'
import type { SessionSettings } from './settings.ts'
import type { BeginTurn, BegunTurn } from './turn-caller.ts'

/** A limit of the caller, as `rate_limits.updated` shows it. */
export interface RateLimit {
  readonly name: 'requests' | 'tokens'
  readonly limit: number
  readonly remaining: number
  readonly reset_seconds: number
}

/** Parts of a session. */
export interface SessionParts {
  readonly peer: RealtimePeer
  readonly stages: PipelineStages
  readonly createTurnTaker: CreateTurnTaker
  readonly begin: BeginTurn
  readonly clock: Clock
  readonly log: Logger
  /** Settings that the session begins with, beside those of the pipeline. */
  readonly fields?: RealtimeSessionFields | undefined
  /** The name by which the client asked for the model. */
  readonly model: string
  /** Gives what is left of the caller's quotas; nothing where there are none. */
  readonly readLimits: (options: { readonly signal: AbortSignal }) => Promise<readonly RateLimit[]>
  readonly memory: SessionMemory
  /** Whether clients see no details of errors. @default false */
  readonly hidesErrors?: boolean | undefined
  /** End of the session's time, milliseconds since the epoch. */
  readonly expiresAt: number
}

/** The parts of a session that its rooms share. */
export interface SessionContext extends Pick<SessionParts, 'peer' | 'stages' | 'clock' | 'log'> {
  readonly conversation: Conversation
  settings: SessionSettings
  /** Whether sound of the model has left. */
  hasSpoken: boolean
  /** Aborts when the session ends. */
  readonly signal: AbortSignal
  /** Sends an event, in the order of the calls; waits while the client is behind. Never rejects. */
  emit(event: ServerEvent): Promise<void>
  /** Waits while the client is behind with the last event. */
  sent(): Promise<void>
  /**
   * Counts speech that waits for a model.
   *
   * @returns gives it back; a second time does nothing
   * @throws {SvcError} `buffer_size_exceeded`
   */
  holdSpeech(bytes: number): () => void
  /**
   * Counts the texts of a response.
   *
   * @returns gives them back; a second time does nothing
   * @throws {SvcError} `unavailable` where there is no room
   */
  holdTexts(bytes: number): () => void
  /** Begins work in the name of the caller; closes the session of a caller whose rights have gone. */
  begin(options: { readonly signal: AbortSignal }): Promise<BegunTurn>
}
