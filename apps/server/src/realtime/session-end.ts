import { SvcError } from '@svc/errors'
import { MAX_SESSION_MS } from './open-session.ts'
import type { ServerEvent } from './ports.ts'

/** The span of a session, in monotonic milliseconds. */
export interface SessionSpan {
  readonly beganAt: number
  /** When the client last gave a sign. */
  readonly heardAt: number
  /** Time without a sign after which the session ends; 0 = never. */
  readonly idleMs: number
}

/** Gives when a session ends that goes on as it does now, and why. */
export function findSessionEnd({ beganAt, heardAt, idleMs }: SessionSpan): {
  readonly at: number
  readonly error: SvcError
} {
  const endsAt = beganAt + MAX_SESSION_MS
  const silentAt = idleMs === 0 ? Number.POSITIVE_INFINITY : heardAt + idleMs
  return endsAt <= silentAt
    ? { at: endsAt, error: over('session_expired', 'the session has lasted 60 minutes') }
    : { at: silentAt, error: over('session_idle', 'the session was silent for too long') }
}

function over(code: string, message: string): SvcError {
  return new SvcError('invalid_request', message, { code })
}

const LIVELY = [
  'response.',
  'output_audio_buffer.',
  'input_audio_buffer.speech_',
  'conversation.item.input_audio_transcription.',
]

/** Tells whether an event shows that a session is used, where silent sound also comes from clients that nobody uses. */
export type IsLively = (event: ServerEvent) => boolean

/**
 * Creates the test of the events of a session: somebody speaks, or a reply runs. A reply that the model gives because
 * nobody speaks (`idle_timeout_ms`) shows nothing, until somebody speaks again.
 */
export function createLivelinessTest(): IsLively {
  let isAlone = false
  return ({ type }) => {
    if (type === 'input_audio_buffer.timeout_triggered') isAlone = true
    if (type === 'input_audio_buffer.speech_started') isAlone = false
    return !isAlone && LIVELY.some((start) => type.startsWith(start))
  }
}
