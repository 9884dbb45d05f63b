import { SvcError } from '@svc/errors'
import type { Messenger } from './messenger.ts'

/** A messenger without a bus: what it publishes is dropped, what it asks is refused, and nothing comes. */
export function createNoMessenger(): Messenger {
  const end = (): void => undefined
  return {
    isConnected: false,
    publish() {},
    async request() {
      throw new SvcError('unavailable', 'there is no message bus', { code: 'bus_disconnected' })
    },
    subscribe: () => end,
    serve: () => end,
    onConnection: () => end,
    async close() {},
  }
}
