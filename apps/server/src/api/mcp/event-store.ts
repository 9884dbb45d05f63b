import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

/** Limits of the events of a session. */
export interface EventLimits {
  readonly maxEvents: number
  /** UTF-16 code units of all events. */
  readonly maxLength: number
}

interface KeptEvent {
  readonly id: string
  readonly stream: string
  readonly message: JSONRPCMessage
  readonly length: number
}

/** Keeps the newest events of a session, so that a client that comes back gets what it has missed. */
export function createEventStore({ maxEvents, maxLength }: EventLimits): EventStore {
  const kept: KeptEvent[] = []
  let count = 0
  let length = 0

  function dropOld(): void {
    while (kept.length > maxEvents || (length > maxLength && kept.length > 1)) length -= kept.shift()?.length ?? 0
  }

  const find = (id: string): number => kept.findIndex((event) => event.id === id)
  return {
    async storeEvent(stream, message) {
      count += 1
      const event = { id: `${stream}_${count}`, stream, message, length: JSON.stringify(message).length }
      kept.push(event)
      length += event.length
      dropOld()
      return event.id
    },
    getStreamIdForEventId: async (id) => kept[find(id)]?.stream,
    async replayEventsAfter(id, { send }) {
      const index = find(id)
      const last = kept[index]
      if (last === undefined) throw new RangeError('the event is not kept any more')
      // A priming event has no message.
      const missed = kept
        .slice(index + 1)
        .filter(({ stream, message }) => stream === last.stream && 'jsonrpc' in message)
      for (const event of missed) await send(event.id, event.message)
      return last.stream
    },
  }
}
