import { SvcError } from '@svc/errors'
import { createKeyedLock } from '../concurrency/keyed-lock.ts'
import { type ConversationName, listNameParts } from './conversation-tokens.ts'

/** Attempts of a request in its turn: another server may give tokens meanwhile. */
const MAX_ATTEMPTS = 4

/** Repeats the work of requests of one conversation that get in each other's way. */
export interface ConversationTurns {
  /**
   * Runs an attempt at once, and further ones in turn with those of other requests of the conversation.
   *
   * @param attempt gives undefined when it must be repeated
   * @throws {SvcError} `pii_conversation_busy`; the signal's reason; what an attempt throws
   */
  run<T>(
    name: ConversationName,
    attempt: () => Promise<T | undefined>,
    options: { readonly signal: AbortSignal },
  ): Promise<T>
}

/** Creates the turns of this process. */
export function createConversationTurns(): ConversationTurns {
  const lock = createKeyedLock()
  return {
    async run(name, attempt, { signal }) {
      const first = await attempt()
      if (first !== undefined) return first
      return await lock.run(JSON.stringify(listNameParts(name)), () => repeatAttempt(attempt), { signal })
    },
  }
}

async function repeatAttempt<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let count = 0; count < MAX_ATTEMPTS; count++) {
    const done = await attempt()
    if (done !== undefined) return done
  }
  throw busyConversation()
}

/** Creates the refusal of a request whose tokens other requests of its conversation contradict. */
export function busyConversation(): SvcError {
  return new SvcError('unavailable', 'other requests of the conversation give tokens at the same time; retry', {
    code: 'pii_conversation_busy',
    retryAfterMs: 1000,
  })
}
