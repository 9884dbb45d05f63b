import { toAbortError } from '../errors.ts'
import { PUSH, type PushableReplies, pullInto, type ReplyFlow, type ReplySink } from '../push-replies.ts'
import type { Call, CallReceiver } from './call.ts'
import { idleError } from './idle.ts'
import type { StreamOptions } from './options.ts'
import { ReplyBatches } from './reply-batches.ts'
import { ReplyQueue } from './reply-queue.ts'

type Result<Reply> = IteratorResult<Reply, void>

/** A call whose replies are read. */
export interface ReplyStreamOptions<Reply> {
  readonly path: string
  decode(bytes: Buffer): Reply
  readonly options: StreamOptions
  /** Makes the call, and does not start it. */
  createCall(receiver: CallReceiver): Call
}

/**
 * The replies of a call: pulled one at a time, as from an async generator, or pushed. The call starts with the first
 * read, with the push, or with {@link start}.
 */
export class ReplyStream<Reply> implements PushableReplies<Reply> {
  readonly #plan: ReplyStreamOptions<Reply>
  #call: Call | undefined
  #queue: ReplyQueue<Reply> | undefined
  /** Nothing is left to read. */
  #isDone = false

  constructor(plan: ReplyStreamOptions<Reply>) {
    this.#plan = plan
  }

  /** Starts the call before the first read. */
  start(): void {
    this.#startQueue()
  }

  /** Ends the call with an error for its reader. */
  end(error: Error): void {
    this.#call?.end(error)
  }

  next(): Promise<Result<Reply>> {
    if (this.#isDone || this.#queue?.isDone) return Promise.resolve({ value: undefined, done: true })
    const { path, options } = this.#plan
    if (options.signal?.aborted) {
      this.#stop()
      return Promise.reject(toAbortError(options.signal, path))
    }
    try {
      return (this.#queue ?? this.#startQueue()).read()
    } catch (error) {
      this.#isDone = true
      return Promise.reject(error)
    }
  }

  async return(): Promise<Result<Reply>> {
    this.#stop()
    return { value: undefined, done: true }
  }

  async throw(error: unknown): Promise<Result<Reply>> {
    this.#stop()
    throw error
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop()
  }

  [PUSH](sink: ReplySink<Reply>): ReplyFlow {
    if (this.#queue !== undefined) return pullInto(this, sink)
    const { path, decode, options } = this.#plan
    const batches = new ReplyBatches({
      sink,
      decode,
      signal: options.signal,
      idleTimeoutMs: options.idleTimeoutMs,
      onIdle: () => this.#call?.end(idleError(path)),
    })
    this.#isDone = true
    try {
      if (options.signal?.aborted) throw toAbortError(options.signal, path)
      this.#startCall(batches)
    } catch (error) {
      batches.onEnd(error instanceof Error ? error : new Error(String(error)))
    }
    return {
      pause: () => {
        batches.pause()
        this.#call?.pause()
      },
      resume: () => {
        batches.resume(this.#call)
        this.#call?.resume()
      },
      cancel: () => {
        batches.stop()
        this.#call?.end(undefined)
      },
    }
  }

  #startQueue(): ReplyQueue<Reply> {
    const { path, decode, options } = this.#plan
    const queue = new ReplyQueue<Reply>({
      decode,
      idleTimeoutMs: options.idleTimeoutMs,
      onIdle: () => this.#call?.end(idleError(path)),
    })
    this.#queue = queue
    this.#startCall(queue)
    return queue
  }

  #startCall(receiver: CallReceiver): void {
    this.#call = this.#plan.createCall(receiver)
    this.#call.start()
  }

  /** Breaks the call off if it still runs. */
  #stop(): void {
    this.#isDone = true
    this.#queue?.clear()
    this.#call?.end(undefined)
  }
}
