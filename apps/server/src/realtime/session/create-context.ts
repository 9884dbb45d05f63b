import { SvcError } from '@svc/errors'
import { createConversation } from './conversation.ts'
import { hideErrors } from './event-error.ts'
import { newId } from './ids.ts'
import type { SessionContext, SessionParts } from './session-context.ts'
import type { SessionSettings } from './settings.ts'
import { tooManyTexts } from './settings-memory.ts'

/** Most stretches of speech that wait for a model at once. */
const MAX_WAITING = 32

const LIMITS = { maxItems: 2000, maxBytes: 32 * 1024 * 1024 }

/** Creates the shared parts of a session. @param signal aborts when the session ends */
export function createContext(
  { peer, stages, clock, log, begin, hidesErrors, memory }: SessionParts,
  { settings, signal }: { readonly settings: SessionSettings; readonly signal: AbortSignal },
): SessionContext {
  let turn = 0
  let waiting = 0
  let lastSent: Promise<void> = Promise.resolve()
  return {
    peer,
    stages,
    clock,
    log,
    conversation: createConversation(LIMITS, memory),
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
    holdSpeech(bytes) {
      signal.throwIfAborted()
      if (waiting >= MAX_WAITING || !memory.add(bytes)) throw tooMuchSpeech()
      waiting += 1
      return once(() => {
        waiting -= 1
        memory.subtract(bytes)
      })
    },
    holdTexts(bytes) {
      if (!memory.add(bytes)) throw tooManyTexts()
      return once(() => memory.subtract(bytes))
    },
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

/** Does something once, however often it is called. */
function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}

function tooMuchSpeech(): SvcError {
  return new SvcError('unavailable', 'too much speech waits to be understood; say this part again later', {
    code: 'buffer_size_exceeded',
  })
}
