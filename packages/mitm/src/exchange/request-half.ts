import { toUpstreamFailure } from '@svc/http-client'
import type { ClientRequest } from '../client/request.ts'
import { keepEndToEnd } from '../headers.ts'
import { pump } from '../pump.ts'
import type { HttpProtocol, ReplyListener, UpstreamConnections, UpstreamExchange } from '../upstream/upstream.ts'
import type { OutgoingRequest } from './outgoing-request.ts'

/** Options of {@link RequestHalf}. */
export interface RequestHalfOptions {
  readonly upstream: UpstreamConnections
  /** Whether the client still waits for a reply. */
  readonly isWanted: () => boolean
  /** Called for the pieces of a body that goes out as it comes, with 0 when the host takes bytes again. */
  readonly onBytes: (count: number) => void
  /** Called once a whole body of this size has been handed to the connection. */
  readonly onWhole: (sizeBytes: number) => void
}

/** Takes the reply to a request. */
export interface SentListener extends Pick<ReplyListener, 'information' | 'reply'> {
  /** Called instead of `reply`. */
  fail(error: unknown): void
}

/** The way of one request from the client to the host. */
export class RequestHalf {
  readonly #request: ClientRequest
  readonly #options: RequestHalfOptions
  #sent: UpstreamExchange | undefined
  /** Whether nothing more of the body goes out: it has ended, or there is none. */
  #isComplete = true
  #stopBody: () => void = () => {}

  constructor(request: ClientRequest, options: RequestHalfOptions) {
    this.#request = request
    this.#options = options
  }

  /** The protocol of the connection to the host; undefined before there is a connection. */
  get protocol(): HttpProtocol | undefined {
    return this.#sent?.protocol
  }

  get isComplete(): boolean {
    return this.#isComplete
  }

  /**
   * Sends a request. A whole request that the host has not processed is sent once more.
   *
   * @throws {SvcError} as {@link UpstreamConnections.start}
   */
  async send(outgoing: OutgoingRequest, listener: SentListener): Promise<void> {
    this.#isComplete = false
    await this.#attempt(outgoing, listener, outgoing.body === 'stream')
  }

  async #attempt(outgoing: OutgoingRequest, listener: SentListener, isLast: boolean): Promise<void> {
    const { upstream, isWanted } = this.#options
    const attemptListener: ReplyListener = {
      information: (head) => listener.information(head),
      reply: (head, body) => listener.reply(head, body),
      fail: (error, isUnprocessed) => {
        if (!isUnprocessed || isLast || !isWanted()) listener.fail(toUpstreamFailure(error))
        else this.#attempt(outgoing, listener, true).catch((failure: unknown) => listener.fail(failure))
      },
    }
    const sent = await upstream.start(outgoing.head, attemptListener, isWanted)
    this.#sent = sent
    if (!isWanted()) sent.abort()
    else if (outgoing.body === 'stream') this.#stream(sent)
    else this.#sendWhole(sent, outgoing.body)
  }

  #sendWhole(sent: UpstreamExchange, body: Uint8Array | undefined): void {
    this.#isComplete = true
    sent.stream.end(body)
    this.#options.onWhole(body?.length ?? 0)
  }

  #stream(sent: UpstreamExchange): void {
    if ('flushHeaders' in sent.stream && typeof sent.stream.flushHeaders === 'function') sent.stream.flushHeaders()
    this.#stopBody = pump(this.#request.body, sent.stream, {
      onBytes: this.#options.onBytes,
      onEnd: () => {
        this.#isComplete = true
        sent.setTrailers(keepEndToEnd(this.#request.trailers()))
        sent.stream.end()
      },
      // The client left: its reply closes too.
      onFail: () => sent.abort(),
    })
  }

  abort(): void {
    this.#sent?.abort()
  }

  /** Reads the rest of the client's body, which goes nowhere. */
  drain(): void {
    this.#stopBody()
    this.#request.body.on('error', () => {}).resume()
  }
}
