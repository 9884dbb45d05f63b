import { SvcError } from '@svc/errors'
import { createConversation } from './conversation.ts'
import { hideErrors } from './event-error.ts'
import { newId } from './ids.ts'
import type { SessionContext, SessionParts } from './session-context.ts'
import type { SessionSettings } from './settings.ts'

const LIMITS = { maxItems: 2000, maxBytes: 32 * 1024 * 1024 }

/** Creates the shared parts of a session. @param signal aborts when the session ends */
export function createContext(
  { peer, stages, clock, log, begin, hidesErrors }: SessionParts,
  { settings, signal }: { readonly settings: SessionSettings; readonly signal: AbortSignal },
): SessionContext {
  let turn = 0
  let lastSent: Promise<void> = Promise.resolve()
  return {
    peer,
    stages,
    clock,
    log,
    conversation: createConversation(LIMITS),
    settings,
    hasSpoken: false,
    signal,
    emit(event) {
      if (signal.aborted) return lastSent
      // the signal of the peer ends the session of a client that is gone
      const shown = hidesErrors ? hideErrors(event) : event
      lastSent = peer.send({ event_id: newId('event'), ...shown }).catch(() => undefined)
      return lastSent
    },
    sent: () => lastSent,
    async begin(options) {
      turn += 1
      try {
        return await begin(turn, options)
      } catch (error) {
        const isRefused = SvcError.is(error) && (error.kind === 'unauthenticated' || error.kind === 'forbidden')
        if (isRefused) peer.close(1008, 'access has ended')
        throw error
      }
    },
  }
}
