import type { SessionLimits } from './sessions.ts'

/** The limits of sessions. */
export const SESSION_LIMITS: SessionLimits = {
  maxSessions: 128,
  maxSessionsOfOwner: 32,
  idleMs: 30 * 60_000,
  retryMs: 1000,
  maxEvents: 256,
  maxLength: 2 * 1024 * 1024,
}
