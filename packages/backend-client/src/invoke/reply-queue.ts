import type { Call, CallReceiver } from './call.ts'
import { IdleWatch } from './idle.ts'

/** Replies that may wait for their reader, by number and by bytes, before the backend is held back. */
const MAX_WAITING = 16
const MAX_WAITING_BYTES = 64 * 1024

type Result<Reply> = IteratorResult<Reply, void>

interface Reader<Reply> {
  resolve(result: Result<Reply> | Promise<Result<Reply>>): void
  reject(error: Error): void
}

/** Options of {@link ReplyQueue}. */
export interface ReplyQueueOptions<Reply> {
  decode(bytes: Buffer): Reply
  readonly idleTimeoutMs: number | undefined
  onIdle(): void
}

/** Keeps the replies of a call for readers that take them one at a time. */
export class ReplyQueue<Reply> implements CallReceiver {
  readonly #decode: (bytes: Buffer) => Reply
  readonly #idle: IdleWatch
  readonly #readers: Reader<Reply>[] = []
  #replies: Reply[] = []
  #next = 0
  #bytes = 0
  /** The call while it is held back. */
  #heldBack: Call | undefined
  #hasEnded = false
  #isDone = false
  #error: Error | undefined

  constructor({ decode, idleTimeoutMs, onIdle }: ReplyQueueOptions<Reply>) {
    this.#decode = decode
    this.#idle = new IdleWatch(idleTimeoutMs, onIdle)
  }

  /** True once a reader has received the end. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** The next reply. */
  read(): Promise<Result<Reply>> {
    const reply = this.#take()
    if (reply !== undefined) return Promise.resolve({ value: reply, done: false })
    if (this.#hasEnded) return this.#readEnd()
    this.#idle.wait()
    return new Promise((resolve, reject) => {
      this.#readers.push({ resolve, reject })
    })
  }

  /** Drops the replies that wait. */
  clear(): void {
    this.#replies = []
    this.#next = 0
    this.#error = undefined
  }

  onMessage(bytes: Buffer, call: Call): void {
    const reply = call.decode(this.#decode, bytes)
    if (reply === undefined) return
    const reader = this.#readers.shift()
    if (reader !== undefined) {
      if (this.#readers.length === 0) this.#idle.rest()
      reader.resolve({ value: reply, done: false })
      return
    }
    this.#replies.push(reply)
    this.#bytes += bytes.length
    if (this.#replies.length < MAX_WAITING && this.#bytes < MAX_WAITING_BYTES) return
    this.#heldBack = call
    call.pause()
  }

  onEnd(error: Error | undefined): void {
    this.#idle.stop()
    this.#hasEnded = true
    this.#error = error
    for (const { resolve } of this.#readers.splice(0)) resolve(this.#readEnd())
  }

  async #readEnd(): Promise<Result<Reply>> {
    const error = this.#error
    this.#error = undefined
    this.#isDone = true
    if (error !== undefined) throw error
    return { value: undefined, done: true }
  }

  #take(): Reply | undefined {
    const reply = this.#replies[this.#next]
    if (reply === undefined) return undefined
    this.#next += 1
    if (this.#next === this.#replies.length) this.#empty()
    return reply
  }

  #empty(): void {
    this.#replies = []
    this.#next = 0
    this.#bytes = 0
    this.#heldBack?.resume()
    this.#heldBack = undefined
  }
}
