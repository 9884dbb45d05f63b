import type { ReplySink } from '../push-replies.ts'
import type { Call, CallReceiver } from './call.ts'
import { IdleWatch } from './idle.ts'

/** Bytes of a batch that is handed on before the turn of the loop ends, so that a sink may hold the stream back. */
const MAX_BATCH_BYTES = 64 * 1024

/** Options of {@link ReplyBatches}. */
export interface ReplyBatchesOptions<Reply> {
  readonly sink: ReplySink<Reply>
  decode(bytes: Buffer): Reply
  readonly signal: AbortSignal | undefined
  readonly idleTimeoutMs: number | undefined
  onIdle(): void
}

/**
 * Hands the replies that one turn of the event loop has read to a sink, together. One read of the socket brings frames of
 * many streams in turn, and Node runs promise jobs after each of them.
 */
export class ReplyBatches<Reply> implements CallReceiver {
  readonly #options: ReplyBatchesOptions<Reply>
  readonly #idle: IdleWatch
  #batch: Reply[] = []
  #batchBytes = 0
  #isScheduled = false
  #isPaused = false
  #isOver = false
  #ending: { readonly error: Error | undefined } | undefined

  constructor(options: ReplyBatchesOptions<Reply>) {
    this.#options = options
    this.#idle = new IdleWatch(options.idleTimeoutMs, options.onIdle)
    this.#idle.wait()
  }

  onMessage(bytes: Buffer, call: Call): void {
    const reply = call.decode(this.#options.decode, bytes)
    if (reply === undefined) return
    this.#batch.push(reply)
    this.#batchBytes += bytes.length
    if (this.#batchBytes >= MAX_BATCH_BYTES) this.#flush(call)
    else this.#schedule(call)
  }

  onEnd(error: Error | undefined, call?: Call): void {
    this.#idle.stop()
    this.#ending ??= { error }
    if (this.#options.signal?.aborted) this.#batch = []
    this.#schedule(call)
  }

  pause(): void {
    this.#isPaused = true
    this.#idle.rest()
  }

  resume(call: Call | undefined): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    if (!this.#ending) this.#idle.wait()
    this.#schedule(call)
  }

  /** Hands nothing on any more. */
  stop(): void {
    this.#isOver = true
    this.#batch = []
    this.#idle.stop()
  }

  #schedule(call: Call | undefined): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#flush(call))
  }

  #flush(call: Call | undefined): void {
    this.#isScheduled = false
    if (this.#batch.length > 0 && !this.#isPaused) this.#handOn(call)
    if (this.#ending === undefined || this.#batch.length > 0 || this.#isOver) return
    this.#isOver = true
    this.#options.sink.onEnd(this.#ending.error)
  }

  #handOn(call: Call | undefined): void {
    const batch = this.#batch
    this.#batch = []
    this.#batchBytes = 0
    if (!this.#ending) this.#idle.wait()
    try {
      this.#options.sink.onReplies(batch)
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      this.#ending = { error }
      call?.end(error)
    }
  }
}
