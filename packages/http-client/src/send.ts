import type { SvcError } from '@svc/errors'
import { requestCancelled } from './errors.ts'
import type {
  BodyPiece,
  PushUpstream,
  UpstreamCall,
  UpstreamHead,
  UpstreamReply,
  UpstreamRequest,
  UpstreamSink,
} from './upstream.ts'

/** Most bytes queued for a slow reader. */
const MAX_QUEUED_BYTES = 64 * 1024

/** {@link Upstream.send} on top of {@link Upstream.start}: the body is pulled. */
export function sendThrough(
  start: PushUpstream['start'],
  request: UpstreamRequest,
  options: { readonly signal: AbortSignal },
): Promise<UpstreamReply> {
  return new Promise((resolve, reject) => {
    const body = new PulledBody()
    body.call = start(request, new SendSink(body, resolve, reject), options)
  })
}

class SendSink implements UpstreamSink {
  readonly #body: PulledBody
  readonly #resolve: (reply: UpstreamReply) => void
  readonly #reject: (error: SvcError) => void

  constructor(body: PulledBody, resolve: (reply: UpstreamReply) => void, reject: (error: SvcError) => void) {
    this.#body = body
    this.#resolve = resolve
    this.#reject = reject
  }

  head(head: UpstreamHead): void {
    this.#resolve({ ...head, body: this.#body })
  }

  data(piece: BodyPiece): boolean {
    return this.#body.push(piece.toBuffer())
  }

  end(): void {
    this.#body.end(undefined)
  }

  fail(error: SvcError): void {
    this.#reject(error)
    this.#body.end(error)
  }
}

/** A queue between the connection and the one reader of a body. */
class PulledBody implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  call: UpstreamCall | undefined
  readonly #queue: Buffer[] = []
  #queuedBytes = 0
  #isPaused = false
  #isEnded = false
  #error: SvcError | undefined
  #wake: (() => void) | undefined;

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return this
  }

  push(bytes: Buffer): boolean {
    this.#queue.push(bytes)
    this.#queuedBytes += bytes.length
    this.#wake?.()
    this.#isPaused = this.#queuedBytes > MAX_QUEUED_BYTES
    return !this.#isPaused
  }

  end(error: SvcError | undefined): void {
    this.#isEnded = true
    this.#error = error
    this.#wake?.()
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    while (this.#queue.length === 0 && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = undefined
    }
    const value = this.#queue.shift()
    if (value === undefined) {
      if (this.#error !== undefined) throw this.#error
      return { done: true, value: undefined }
    }
    this.#queuedBytes -= value.length
    if (this.#isPaused && this.#queuedBytes <= MAX_QUEUED_BYTES / 2) {
      this.#isPaused = false
      this.call?.resume()
    }
    return { done: false, value }
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#queue.length = 0
    this.#queuedBytes = 0
    if (!this.#isEnded) this.call?.abort(requestCancelled())
    return Promise.resolve({ done: true, value: undefined })
  }
}
