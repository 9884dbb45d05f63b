import type { Socket } from 'node:net'
import type { Header } from '@svc/http-client'

/** Target of a reply: Node's `ServerResponse`, or an object with the same behaviour. */
export interface ReplyTarget {
  readonly headersSent: boolean
  readonly writableEnded: boolean
  /** Whether all of it has been handed to the system. */
  readonly writableFinished: boolean
  readonly destroyed: boolean
  /** @param headers names and values in turn */
  writeHead(status: number, headers: string[]): unknown
  /** @returns false when the client does not keep up; `drain` follows */
  write(text: string, encoding: 'latin1'): boolean
  end(): unknown
  end(body: string, encoding: 'latin1'): unknown
  destroy(): unknown
  on(event: 'close', listener: () => void): unknown
  once(event: 'drain', listener: () => void): unknown
  off(event: 'drain', listener: () => void): unknown
  /** Node's connection; a reply without one takes everything through {@link write}. */
  readonly socket?: Socket | null
  readonly chunkedEncoding?: boolean
  readonly writableLength?: number
}

/**
 * The reply to a client, written to Node's response. Text is one character a byte.
 *
 * A chunk of a stream goes to the socket as one string with its framing: `ServerResponse.write` would make three writes
 * of it. Node writes the head and the end, and thus keeps the connection in order.
 */
export class ClientReply {
  readonly #outgoing: ReplyTarget
  /** Socket for chunks, once the head of a chunked reply has left the buffer of the response. */
  #socket: Socket | undefined
  #waiting: Pick<ReplyTarget, 'once' | 'off'> | undefined

  constructor(outgoing: ReplyTarget) {
    this.#outgoing = outgoing
  }

  /** Whether the client can still receive anything. */
  get isOpen(): boolean {
    return !this.#outgoing.destroyed && !this.#outgoing.writableEnded
  }

  get hasStarted(): boolean {
    return this.#outgoing.headersSent
  }

  /** Sends a complete reply. */
  whole(status: number, headers: readonly Header[], body: string): void {
    if (!this.isOpen) return
    const flat = flatten(headers)
    if (status !== 204 && status !== 304) flat.push('content-length', String(body.length))
    this.#outgoing.writeHead(status, flat)
    endWith(this.#outgoing, body)
  }

  /** Sends the head; the body follows. */
  start(status: number, headers: readonly Header[]): void {
    if (this.isOpen) this.#outgoing.writeHead(status, flatten(headers))
  }

  /** @returns false when the client does not keep up */
  write(text: string): boolean {
    const outgoing = this.#outgoing
    if (!this.isOpen || text === '') return true
    if (this.#socket !== undefined) {
      return this.#socket.write(`${text.length.toString(16)}\r\n${text}\r\n`, 'latin1')
    }
    const isTaken = outgoing.write(text, 'latin1')
    const { socket } = outgoing
    if (isTaken && outgoing.chunkedEncoding === true && socket && outgoing.writableLength === socket.writableLength) {
      this.#socket = socket
    }
    return isTaken
  }

  /** Calls back once the client has taken the written bytes. */
  onceDrained(callback: () => void): void {
    this.#waiting = this.#socket ?? this.#outgoing
    this.#waiting.once('drain', callback)
  }

  /** Removes the callback of {@link onceDrained}. */
  stopWaiting(callback: () => void): void {
    this.#waiting?.off('drain', callback)
    this.#waiting = undefined
  }

  end(): void {
    if (this.isOpen) this.#outgoing.end()
  }

  /** Cuts the connection, so that the client cannot take a partial reply for a whole one. */
  cut(): void {
    this.#outgoing.destroy()
  }
}

/** The text of a head, which Node keeps in this field from `writeHead` until it is sent. */
interface KeptHead {
  _header?: unknown
  readonly _hasBody?: unknown
}

/**
 * Ends a reply whose head is written but not sent. Node would pass head, body and an empty end to one `writev`, which
 * costs twice as much as one string.
 */
function endWith(outgoing: ReplyTarget & KeptHead, body: string): void {
  if (typeof outgoing._header !== 'string' || outgoing._hasBody !== true || !outgoing.socket) {
    outgoing.end(body, 'latin1')
    return
  }
  outgoing._header += body
  outgoing.end()
}

function flatten(headers: readonly Header[]): string[] {
  const flat: string[] = []
  for (const [name, value] of headers) flat.push(name, value)
  return flat
}
