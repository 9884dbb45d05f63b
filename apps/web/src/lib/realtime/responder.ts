import type { ClientEvent, ServerEvent } from './events.ts'
import { toFields, toText } from './events.ts'

/** Asks for responses, one at a time. */
export interface Responder {
  /** Asks for a response; one that is made now is cancelled first. */
  readonly ask: () => void
  /** Cancels the response that is made now. */
  readonly cancel: () => void
  /** The response that is made now. */
  readonly current: () => string | undefined
  readonly take: (event: ServerEvent) => void
}

/** @param send sends an event @returns its id */
export function createResponder(send: (event: ClientEvent) => string): Responder {
  let current: string | undefined
  /** The event whose response has not begun. */
  let asked: string | undefined
  let isNextWanted = false

  const ask = () => {
    isNextWanted = current !== undefined || asked !== undefined
    if (current !== undefined) send({ type: 'response.cancel' })
    else if (asked === undefined) asked = send({ type: 'response.create' })
  }
  const askNext = () => {
    if (!isNextWanted) return
    isNextWanted = false
    ask()
  }
  return {
    ask,
    cancel() {
      isNextWanted = false
      if (current !== undefined) send({ type: 'response.cancel' })
    },
    current: () => current,
    take(event) {
      if (event.type === 'response.created') {
        current = toText(toFields(event.response).id)
        asked = undefined
        // the newer wish replaces this response
        if (isNextWanted) send({ type: 'response.cancel' })
      } else if (event.type === 'response.done') {
        if (toFields(event.response).id === current) current = undefined
        if (current === undefined) askNext()
      } else if (event.type === 'error' && asked !== undefined && toFields(event.error).event_id === asked) {
        asked = undefined
        askNext()
      }
    },
  }
}
