import type { SessionLimits } from './sessions.ts'

/** The limits of sessions. */
export const SESSION_LIMITS: SessionLimits = {
  maxSessions: 64,
  maxSessionsOfOwner: 16,
  idleMs: 30 * 60_000,
  retryMs: 1000,
  maxEvents: 256,
  maxLength: 512 * 1024,
}
