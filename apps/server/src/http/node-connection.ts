import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { PassThrough, pipeline } from 'node:stream'
import { endConnection, MAX_AHEAD_BYTES } from '@svc/http-reader'

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
 * A connection that Node's HTTP server reads. Its requests are answered one at a time, in order; Node alone would begin with
 * all of them. While a reply is awaited, {@link MAX_AHEAD_BYTES} are read ahead, beside the bytes that came with the request.
 * A client that sends more is cut off: the end of a connection that is not read goes unnoticed.
 */
export class NodeConnection {
  readonly #socket: Socket
  #current: WaitingTurn | undefined
  readonly #waiting: WaitingTurn[] = []
  #readBytes = 0
  /** The last bytes of a connection that Node can read no further. They follow the replies to all earlier requests. */
  #refusal: string | undefined

  /** @param socket Node's server reads it already; it would not share the bytes of a socket that others listened to before */
  constructor(socket: Socket) {
    this.#socket = socket
    socket.prependListener('data', this.#onData)
  }

  /** Whether a request is being answered. */
  get isBusy(): boolean {
    return this.#current !== undefined
  }

  /** Lets go of a connection that Node reads no more. */
  release(): void {
    this.#socket.off('data', this.#onData)
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
    // Node does not react to the end any more.
    else if (socket.readableEnded) socket.destroy()
    else socket.once('end', () => socket.destroy())
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
    turn.outgoing.once('close', this.#next)
    turn.serve()
  }

  readonly #next = (): void => {
    this.#current = undefined
    const { writable } = this.#socket
    const turn = writable ? this.#waiting.shift() : undefined
    if (turn !== undefined) this.#begin(turn)
    else if (writable && this.#refusal !== undefined) endConnection(this.#socket, this.#refusal)
  }

  readonly #onData = (chunk: Buffer): void => {
    const last = this.#last
    if (last?.incoming.complete === true) last.wholeAt ??= this.#readBytes
    this.#readBytes += chunk.length
    const { wholeAt = this.#readBytes, outgoing } = this.#current ?? {}
    if (this.#readBytes - wholeAt > MAX_AHEAD_BYTES && outgoing?.writableEnded === false) this.#socket.destroy()
  }
}

/** Takes the body of a waiting request off the connection, which has to be read on. */
function holdBody(incoming: IncomingMessage): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = incoming.headers
  if (length === '0' && coding === undefined) return
  const body = new PassThrough({ highWaterMark: MAX_AHEAD_BYTES })
  // A body that breaks off is destroyed, and its reader is told.
  pipeline(incoming, body, () => undefined)
  Object.assign(incoming, { body })
}
