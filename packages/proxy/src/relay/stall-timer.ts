import { SvcError } from '@svc/errors'
import type { ClientReply } from './client-reply.ts'

const DEFAULT_STALL_MS = 60_000

/** Waits for a slow client, up to a limit (threats REL-3). */
export class StallTimer {
  readonly #reply: ClientReply
  readonly #stallMs: number
  #timer: NodeJS.Timeout | undefined
  #onDrain: (() => void) | undefined

  constructor(reply: ClientReply, stallMs = DEFAULT_STALL_MS) {
    this.#reply = reply
    this.#stallMs = stallMs
  }

  start(options: { readonly onDrained: () => void; readonly onStalled: (error: SvcError) => void }): void {
    this.stop()
    this.#onDrain = () => {
      this.stop()
      options.onDrained()
    }
    this.#reply.onceDrained(this.#onDrain)
    this.#timer = setTimeout(() => {
      this.stop()
      options.onStalled(new SvcError('cancelled', 'the client stopped reading', { code: 'client_stalled' }))
    }, this.#stallMs)
    this.#timer.unref()
  }

  stop(): void {
    if (this.#onDrain === undefined) return
    this.#reply.stopWaiting(this.#onDrain)
    clearTimeout(this.#timer)
    this.#onDrain = undefined
  }
}
