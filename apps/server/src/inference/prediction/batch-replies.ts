import { pushReplies, type ReplyFlow } from '@svc/backend-client'
import type { Reply } from '@svc/backend-client/proto'

/** The stream is held back while more waits for its reader: replies, and bytes of their text. */
const MAX_WAITING_REPLIES = 256
const MAX_WAITING_BYTES = 64 * 1024

/**
 * Takes the replies of a stream in batches: a batch has the replies that arrived since the last one. The call begins
 * with the first pull; ending the iteration early cancels it. A slow reader holds the backend back.
 */
export function batchReplies(replies: AsyncGenerator<Reply, void, void>): AsyncIterable<readonly Reply[]> {
  return { [Symbol.asyncIterator]: () => new ReplyBatches(replies) }
}

class ReplyBatches implements AsyncIterator<readonly Reply[], undefined> {
  readonly #flow: ReplyFlow
  #waiting: Reply[] = []
  #waitingBytes = 0
  #isHeldBack = false
  #end: { readonly error: Error | undefined } | undefined
  #wake: (() => void) | undefined

  constructor(replies: AsyncGenerator<Reply, void, void>) {
    this.#flow = pushReplies(replies, {
      onReplies: (batch) => this.#take(batch),
      onEnd: (error) => {
        this.#end = { error }
        this.#wakeReader()
      },
    })
  }

  async next(): Promise<IteratorResult<readonly Reply[], undefined>> {
    while (this.#waiting.length === 0 && this.#end === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    if (this.#waiting.length > 0) return { done: false, value: this.#give() }
    if (this.#end?.error !== undefined) throw this.#end.error
    return { done: true, value: undefined }
  }

  async return(): Promise<IteratorResult<readonly Reply[], undefined>> {
    if (this.#end === undefined) this.#flow.cancel()
    this.#end = { error: undefined }
    this.#waiting = []
    return { done: true, value: undefined }
  }

  #take(batch: readonly Reply[]): void {
    for (const reply of batch) {
      this.#waiting.push(reply)
      this.#waitingBytes += reply.message.length
    }
    if (this.#waiting.length >= MAX_WAITING_REPLIES || this.#waitingBytes >= MAX_WAITING_BYTES) {
      this.#isHeldBack = true
      this.#flow.pause()
    }
    this.#wakeReader()
  }

  #give(): readonly Reply[] {
    const batch = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    if (this.#isHeldBack) {
      this.#isHeldBack = false
      this.#flow.resume()
    }
    return batch
  }

  #wakeReader(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}
