import { type Client, type StatusObject, status } from '@grpc/grpc-js'
import { openChannel } from './channel.ts'
import { BackendError } from './errors.ts'
import { createResetBudget } from './reset-budget.ts'

/** A running grpc-js call of any kind. */
interface RunningCall {
  cancel(): void
  once(event: 'status', listener: (status: StatusObject) => void): unknown
}

/** How to connect. */
export interface ConnectionSettings {
  readonly address: string
  readonly token: string | undefined
  readonly maxMessageBytes: number
}

/** The channel of a backend, and the calls that run on it. */
export class Connection {
  readonly token: string | undefined
  readonly maxMessageBytes: number
  readonly #settings: ConnectionSettings
  readonly #running = new Set<RunningCall>()
  #channel: Client
  #budget = createResetBudget(performance.now())
  #isClosed = false

  constructor(settings: ConnectionSettings) {
    this.#settings = settings
    this.#channel = openChannel(settings)
    this.token = settings.token
    this.maxMessageBytes = settings.maxMessageBytes
  }

  /**
   * The channel for a call that starts now.
   *
   * @throws `client_closed` (unavailable) after {@link close}
   */
  channelFor(path: string): Client {
    if (!this.#isClosed) return this.#channel
    throw new BackendError('unavailable', 'the backend client is closed', {
      code: 'client_closed',
      details: { rpc: path },
    })
  }

  /** Remembers a call until it is over. */
  track(call: RunningCall): void {
    this.#running.add(call)
    call.once('status', ({ code }) => {
      this.#running.delete(call)
      if (code === status.CANCELLED || code === status.DEADLINE_EXCEEDED) this.#spendReset()
    })
  }

  /** Cancels what runs; by itself the channel would wait for it. */
  close(): void {
    this.#isClosed = true
    for (const call of this.#running) call.cancel()
    this.#channel.close()
  }

  /** Calls go to a fresh connection before the backend loses patience with this one; what runs here runs on. */
  #spendReset(): void {
    const now = performance.now()
    if (this.#isClosed || this.#budget.spend(now)) return
    this.#channel.close()
    this.#channel = openChannel(this.#settings)
    this.#budget = createResetBudget(now)
  }
}
