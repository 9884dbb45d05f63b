import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { PassThrough, pipeline } from 'node:stream'
import { endConnection, MAX_AHEAD_BYTES, watchHalfClosed, watchUnread } from '@svc/http-reader'

/** A request that Node has read, and its reply. */
export interface Turn {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  serve(): void
}

interface WaitingTurn extends Turn {
  /** Bytes that had been read of the connection when the request was complete. */
  wholeAt?: number
}

/**
 * A connection that Node's HTTP server reads. Its requests are answered one at a time, in order; by itself, Node would
 * begin with all of them. While a reply is awaited, {@link MAX_AHEAD_BYTES} are read ahead, beside the bytes that came
 * with the request. A client that sends more is cut off: the end of a connection that is not read goes unnoticed.
 *
 * A client that has ended its half gets the replies to its whole requests. By itself, Node would end the connection at
 * once, so it hears of the end when the replies are out.
 */
export class NodeConnection {
  readonly #socket: Socket
  readonly #unreadMs: number
  /** Node's listener for the end of the client's half. It ends the connection. */
  readonly #endByNode: () => void
  #current: WaitingTurn | undefined
  readonly #waiting: WaitingTurn[] = []
  #readBytes = 0
  #hasEnded = false
  /** Ends the watch of the client that has ended its half, or takes nothing of its reply. */
  #unwatch = (): void => undefined
  /** The last bytes of a connection that Node can read no further. They follow the replies to all earlier requests. */
  #refusal: string | undefined

  /** @param socket Node's server reads it already; it would not share the bytes of a socket that others listened to before */
  constructor(socket: Socket, unreadMs: number) {
    this.#socket = socket
    this.#unreadMs = unreadMs
    const endByNode = socket.listeners('end').at(-1) as () => void
    this.#endByNode = endByNode
    socket.prependListener('data', this.#onData).off('end', endByNode).on('end', this.#onEnd)
  }

  /** Whether a request is being answered. */
  get isBusy(): boolean {
    return this.#current !== undefined
  }

  /** Lets go of a connection that Node reads no more. */
  release(): void {
    this.#unwatch()
    this.#socket.off('data', this.#onData).off('end', this.#onEnd)
  }

  /** Serves a request once the earlier ones are answered. */
  take(turn: Turn): void {
    if (this.#refusal !== undefined) return
    const before = this.#last
    if (before !== undefined) before.wholeAt ??= this.#readBytes
    if (this.#current === undefined) this.#begin(turn)
    else {
      holdBody(turn.incoming)
      this.#waiting.push(turn)
    }
  }

  /**
   * Ends the connection, as Node cannot read on.
   *
   * @param refusal the reply to the request that cannot be read; it is sent in the turn of that request
   */
  fail(refusal: string): void {
    // Node reports every further chunk as an error again.
    if (this.#refusal !== undefined) return
    this.#refusal = refusal
    const socket = this.#socket
    if (this.#last?.incoming.complete === false) this.#dropLast()
    if (!socket.writable) socket.destroy()
    else if (this.#current === undefined) endConnection(socket, refusal)
  }

  get #last(): WaitingTurn | undefined {
    return this.#waiting.at(-1) ?? this.#current
  }

  /** Drops the last request, whose body cannot be read. */
  #dropLast(): void {
    if (this.#waiting.pop() !== undefined) return
    // A refusal cannot follow a reply that has begun.
    if (this.#current?.outgoing.headersSent === true) this.#refusal = ''
    else this.#current = undefined
  }

  #begin(turn: WaitingTurn): void {
    this.#current = turn
    const { outgoing } = turn
    outgoing
      .once('prefinish', () => this.#watchUnread(outgoing))
      // Node sets a time of its own after that.
      .prependOnceListener('finish', () => this.#unwatch())
      .once('close', this.#next)
    turn.serve()
    if (this.#hasEnded) this.#watchHalfClosed(turn)
  }

  readonly #next = (): void => {
    this.#unwatch()
    this.#current = undefined
    if (this.#socket.isPaused()) this.#socket.resume()
    const { writable } = this.#socket
    const turn = writable ? this.#waiting.shift() : undefined
    if (turn !== undefined) this.#begin(turn)
    else if (writable && this.#refusal !== undefined) endConnection(this.#socket, this.#refusal)
    else if (writable && this.#hasEnded) this.#passEnd()
  }

  /** Limits how long a complete reply may wait for its client (threats REL-3). */
  #watchUnread(outgoing: ServerResponse): void {
    this.#unwatch()
    if (this.#socket.writableLength === 0) return
    this.#unwatch = watchUnread(this.#socket, { unreadMs: this.#unreadMs, events: outgoing })
  }

  #watchHalfClosed({ incoming, outgoing }: Turn): void {
    if (!outgoing.writableEnded)
      this.#unwatch = watchHalfClosed(outgoing, { socket: this.#socket, httpVersion: incoming.httpVersion })
  }

  /** A client that ends its half in the middle of a reply has left. */
  readonly #onEnd = (): void => {
    // Node refuses a request that breaks off.
    if (this.#current === undefined || this.#last?.incoming.complete === false) this.#passEnd()
    const current = this.#current
    if (current === undefined) return
    this.#hasEnded = true
    const { writableEnded, headersSent } = current.outgoing
    if (headersSent && !writableEnded) this.#socket.destroy()
    else this.#watchHalfClosed(current)
  }

  #passEnd(): void {
    this.#endByNode.call(this.#socket)
  }

  readonly #onData = (chunk: Buffer): void => {
    const last = this.#last
    if (last?.incoming.complete === true) last.wholeAt ??= this.#readBytes
    this.#readBytes += chunk.length
    const { wholeAt = this.#readBytes, outgoing } = this.#current ?? {}
    if (outgoing === undefined || this.#readBytes - wholeAt <= MAX_AHEAD_BYTES) return
    if (outgoing.writableEnded) this.#socket.pause()
    else this.#socket.destroy()
  }
}

/** Takes the body of a waiting request off the connection, which has to be read on. */
function holdBody(incoming: IncomingMessage): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = incoming.headers
  if (length === '0' && coding === undefined) return
  const body = new PassThrough({ highWaterMark: MAX_AHEAD_BYTES })
  // A body that breaks off is destroyed, and its reader gets the error.
  pipeline(incoming, body, () => undefined)
  Object.assign(incoming, { body })
}
