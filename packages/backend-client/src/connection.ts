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

/** A channel and the calls that run on it. */
interface CallChannel {
  readonly client: Client
  readonly running: Set<RunningCall>
}

/** The channel of a backend, and the calls that run on it. */
export class Connection {
  readonly token: string | undefined
  readonly maxMessageBytes: number
  readonly #settings: ConnectionSettings
  #current: CallChannel
  /** Channels without new calls, on which some still run. */
  readonly #retired = new Set<CallChannel>()
  #budget = createResetBudget(performance.now())
  #isClosed = false

  constructor(settings: ConnectionSettings) {
    this.#settings = settings
    this.#current = { client: openChannel(settings), running: new Set() }
    this.token = settings.token
    this.maxMessageBytes = settings.maxMessageBytes
  }

  /**
   * The channel for a call that starts now.
   *
   * @throws `client_closed` (unavailable) after {@link close}
   */
  channelFor(path: string): Client {
    if (!this.#isClosed) return this.#current.client
    throw new BackendError('unavailable', 'the backend client is closed', {
      code: 'client_closed',
      details: { rpc: path },
    })
  }

  /** Keeps a call that has just been made on {@link channelFor}, until it is over. */
  track(call: RunningCall): void {
    const channel = this.#current
    channel.running.add(call)
    call.once('status', ({ code }) => {
      channel.running.delete(call)
      const isReset = code === status.CANCELLED || code === status.DEADLINE_EXCEEDED
      if (channel !== this.#current) this.#closeRetired(channel)
      else if (isReset) this.#spendReset()
    })
  }

  /** Cancels the running calls; the channel alone would wait for them. */
  close(): void {
    this.#isClosed = true
    for (const { client, running } of [this.#current, ...this.#retired]) {
      for (const call of running) call.cancel()
      client.close()
    }
  }

  /** Sends new calls to a fresh connection before the backend closes this one; running calls stay here. */
  #spendReset(): void {
    const now = performance.now()
    if (this.#isClosed || this.#budget.spend(now)) return
    const spent = this.#current
    this.#current = { client: openChannel(this.#settings), running: new Set() }
    this.#budget = createResetBudget(now)
    this.#retired.add(spent)
    this.#closeRetired(spent)
  }

  /** Closes a channel after its last call. A call that is being made counts: closing its channel would refuse it. */
  #closeRetired(channel: CallChannel): void {
    if (channel.running.size > 0) return
    this.#retired.delete(channel)
    channel.client.close()
  }
}
