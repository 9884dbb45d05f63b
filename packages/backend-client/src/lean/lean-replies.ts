import type { LeanMethod } from '../codec/lean-methods.ts'
import { toAbortError } from '../errors.ts'
import { idleError } from '../invoke/idle.ts'
import { checkMetadata } from '../invoke/metadata.ts'
import type { StreamOptions } from '../invoke/options.ts'
import type { PartialMessage } from '../method.ts'
import { PUSH, type PushableReplies, type ReplyFlow, type ReplySink } from '../push-replies.ts'
import { frameRequest } from './frame-request.ts'
import { type CallReceiver, LeanCall } from './lean-call.ts'
import type { LeanConnection } from './lean-connection.ts'
import { ReplyBatches } from './reply-batches.ts'
import { ReplyQueue } from './reply-queue.ts'

type Result<Reply> = IteratorResult<Reply, void>

/** A method of one request and many replies, with its request. */
export interface StreamPlan<Request, Reply> {
  readonly method: LeanMethod<'server-stream', Request, Reply>
  readonly request: PartialMessage<Request>
  readonly options: StreamOptions
}

/**
 * The replies of a call, pulled one at a time like those of an async generator, or pushed. The call starts with the first
 * read, or with the push.
 */
export class LeanReplies<Request, Reply> implements PushableReplies<Reply> {
  readonly #connection: LeanConnection
  readonly #plan: StreamPlan<Request, Reply>
  #call: LeanCall | undefined
  #queue: ReplyQueue<Reply> | undefined
  /** Nothing is left to read. */
  #isDone = false

  constructor(connection: LeanConnection, plan: StreamPlan<Request, Reply>) {
    this.#connection = connection
    this.#plan = plan
  }

  next(): Promise<Result<Reply>> {
    if (this.#isDone || this.#queue?.isDone) return Promise.resolve({ value: undefined, done: true })
    const { method, options } = this.#plan
    if (options.signal?.aborted) {
      this.#stop()
      return Promise.reject(toAbortError(options.signal, method.path))
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
    const { method, options } = this.#plan
    const batches = new ReplyBatches({
      sink,
      decode: method.decode,
      signal: options.signal,
      idleTimeoutMs: options.idleTimeoutMs,
      onIdle: () => this.#call?.end(idleError(method.path)),
    })
    this.#isDone = true
    try {
      if (options.signal?.aborted) throw toAbortError(options.signal, method.path)
      this.#start(batches)
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
    const { method, options } = this.#plan
    const queue = new ReplyQueue<Reply>({
      decode: method.decode,
      idleTimeoutMs: options.idleTimeoutMs,
      onIdle: () => this.#call?.end(idleError(method.path)),
    })
    this.#queue = queue
    this.#start(queue)
    return queue
  }

  #start(receiver: CallReceiver): void {
    const { method, request, options } = this.#plan
    checkMetadata(options.metadata)
    this.#connection.checkOpen(method.path)
    const frame = frameRequest(method, request, this.#connection.maxMessageBytes)
    this.#call = new LeanCall(this.#connection, { path: method.path, frame, options }, receiver)
    this.#call.start()
  }

  /** Breaks the call off if it still runs. */
  #stop(): void {
    this.#isDone = true
    this.#queue?.clear()
    this.#call?.end(undefined)
  }
}
