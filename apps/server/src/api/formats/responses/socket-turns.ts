import type { StoredResponse } from '../../../responses/stored-response.ts'
import type { KnownResponses } from './conversation.ts'

/** Maximum size of the conversation that one socket keeps, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024
const MAX_TURNS = 1024

/** The part of a socket's conversation that is stored nowhere else. Its last response can always be continued. */
export interface SocketTurns extends KnownResponses {
  /** Keeps a response that has ended; `bytes` is the size of its request. */
  keep(response: StoredResponse, bytes: number): void
}

/** Creates an empty conversation. */
export function createSocketTurns(): SocketTurns {
  const turns = new Map<string, StoredResponse>()
  let size = 0

  function forget(): void {
    turns.clear()
    size = 0
  }

  return {
    get: (id) => turns.get(id),
    findItem(id) {
      for (const { input, resource } of turns.values()) {
        const item = [...input, ...resource.output].find((one) => one.id === id)
        if (item !== undefined) return item
      }
      return undefined
    },
    keep(response, bytes) {
      const { id, store, status, previous_response_id: previous, output } = response.resource
      const continues = previous !== null && turns.has(previous)
      if (!continues) forget()
      // drops unstored turns that it continued
      if (store && !continues) return
      if (status !== 'completed' && status !== 'incomplete') return
      size += bytes + JSON.stringify(output).length
      if (size > MAX_BYTES || turns.size >= MAX_TURNS) forget()
      else turns.set(id, response)
    },
  }
}
