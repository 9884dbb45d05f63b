import type { Client } from '@grpc/grpc-js'
import { openChannel } from './channel.ts'
import { BackendError } from './errors.ts'

/** A running grpc-js call of any kind. */
interface RunningCall {
  cancel(): void
  once(event: 'status', listener: () => void): unknown
}

/** How to connect. */
export interface ConnectionSettings {
  readonly address: string
  readonly token: string | undefined
  readonly maxMessageBytes: number
}

/** The one channel of a backend, and the calls that run on it. */
export class Connection {
  readonly channel: Client
  readonly token: string | undefined
  readonly maxMessageBytes: number
  readonly #running = new Set<RunningCall>()
  #isClosed = false

  constructor(settings: ConnectionSettings) {
    this.channel = openChannel(settings)
    this.token = settings.token
    this.maxMessageBytes = settings.maxMessageBytes
  }

  /** Refuses a call after {@link close}; the library underneath would throw an error of its own. */
  assertOpen(path: string): void {
    if (!this.#isClosed) return
    throw new BackendError('unavailable', 'the backend client is closed', {
      code: 'client_closed',
      details: { rpc: path },
    })
  }

  /** Remembers a call until it is over. */
  track(call: RunningCall): void {
    this.#running.add(call)
    call.once('status', () => this.#running.delete(call))
  }

  /** Cancels what runs; by itself the channel would wait for it. */
  close(): void {
    this.#isClosed = true
    for (const call of this.#running) call.cancel()
    this.channel.close()
  }
}
