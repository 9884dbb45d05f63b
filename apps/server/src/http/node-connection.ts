import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { PassThrough, pipeline } from 'node:stream'
import { MAX_AHEAD_BYTES } from './direct/direct-connection.ts'
import { endConnection } from './linger.ts'

/** A request that Node has read, and what answers it. */
export interface Turn {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  serve(): void
}

interface WaitingTurn extends Turn {
  /** What had been read of the connection when the request was whole. */
  wholeAt?: number
}

/**
 * A connection that Node's HTTP server reads. Its requests are answered one at a time, whatever has come ahead of its
 * turn: Node would begin with all of them. While a reply is awaited {@link MAX_AHEAD_BYTES} and what came with the request
 * are read ahead. Then the connection ends, as nobody would notice that its client has left once it is no longer read.
 */
export class NodeConnection {
  readonly #socket: Socket
  #current: WaitingTurn | undefined
  readonly #waiting: WaitingTurn[] = []
  #readBytes = 0
  /** What ends a connection that Node can read no further, once every request before the fault is answered. */
  #lastWords: string | undefined

  /** @param socket Node's server has it already: before that it would not give its bytes to anybody else */
  constructor(socket: Socket) {
    this.#socket = socket
    socket.prependListener('data', this.#onData)
  }

  /** Whether a request is being answered. */
  get isBusy(): boolean {
    return this.#current !== undefined
  }

  /** Lets go of a connection that is Node's no longer. */
  release(): void {
    this.#socket.off('data', this.#onData)
  }

  /** Serves a request once those before it are answered. */
  take(turn: Turn): void {
    if (this.#lastWords !== undefined) return
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
    // Whatever else comes is a fault again.
    if (this.#lastWords !== undefined) return
    this.#lastWords = refusal
    const socket = this.#socket
    if (this.#last?.incoming.complete === false) this.#dropLast()
    if (!socket.writable) socket.destroy()
    else if (this.#current === undefined) endConnection(socket, refusal)
    // Node takes no notice of the end any more.
    else if (socket.readableEnded) socket.destroy()
    else socket.once('end', () => socket.destroy())
  }

  get #last(): WaitingTurn | undefined {
    return this.#waiting.at(-1) ?? this.#current
  }

  /** The fault is in the body of the last request: nobody needs to read on. */
  #dropLast(): void {
    if (this.#waiting.pop() !== undefined) return
    // Behind a reply that has begun nothing else is said.
    if (this.#current?.outgoing.headersSent === true) this.#lastWords = ''
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
    else if (writable && this.#lastWords !== undefined) endConnection(this.#socket, this.#lastWords)
  }

  readonly #onData = (chunk: Buffer): void => {
    const last = this.#last
    if (last?.incoming.complete === true) last.wholeAt ??= this.#readBytes
    this.#readBytes += chunk.length
    const { wholeAt = this.#readBytes, outgoing } = this.#current ?? {}
    if (this.#readBytes - wholeAt > MAX_AHEAD_BYTES && outgoing?.writableEnded === false) this.#socket.destroy()
  }
}

/** Takes what comes of a body before its turn off the connection, which has to be read on. */
function holdBody(incoming: IncomingMessage): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = incoming.headers
  if (length === '0' && coding === undefined) return
  const body = new PassThrough({ highWaterMark: MAX_AHEAD_BYTES })
  // A body that breaks off is destroyed, and who reads it hears of that.
  pipeline(incoming, body, () => undefined)
  Object.assign(incoming, { body })
}
