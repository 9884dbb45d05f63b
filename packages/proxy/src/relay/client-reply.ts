import type { Header } from '@svc/http-client'

/** Target of a reply: Node's `ServerResponse`, or an object with the same behaviour. */
export interface ReplyTarget {
  readonly headersSent: boolean
  readonly writableEnded: boolean
  /** Whether the system has taken the whole reply. */
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
}

/** The reply to a client. Text is one character a byte. */
export class ClientReply {
  readonly #outgoing: ReplyTarget

  constructor(outgoing: ReplyTarget) {
    this.#outgoing = outgoing
  }

  /** Whether the client can still receive bytes. */
  get isOpen(): boolean {
    return !this.#outgoing.destroyed && !this.#outgoing.writableEnded
  }

  get hasStarted(): boolean {
    return this.#outgoing.headersSent
  }

  /** Sends a whole reply. */
  whole(status: number, headers: readonly Header[], body: string): void {
    if (!this.isOpen) return
    const flat = flatten(headers)
    if (status !== 204 && status !== 304) flat.push('content-length', String(body.length))
    this.#outgoing.writeHead(status, flat)
    this.#outgoing.end(body, 'latin1')
  }

  /** Sends the head; the body follows. */
  start(status: number, headers: readonly Header[]): void {
    if (this.isOpen) this.#outgoing.writeHead(status, flatten(headers))
  }

  /** @returns false when the client does not keep up */
  write(text: string): boolean {
    return !this.isOpen || text === '' || this.#outgoing.write(text, 'latin1')
  }

  /** Calls back once the client has taken the written bytes. */
  onceDrained(callback: () => void): void {
    this.#outgoing.once('drain', callback)
  }

  /** Cancels {@link onceDrained}. */
  stopWaiting(callback: () => void): void {
    this.#outgoing.off('drain', callback)
  }

  end(): void {
    if (this.isOpen) this.#outgoing.end()
  }

  /** Cuts the connection, so that the client cannot mistake the sent part for a whole reply. */
  cut(): void {
    this.#outgoing.destroy()
  }
}

function flatten(headers: readonly Header[]): string[] {
  const flat: string[] = []
  for (const [name, value] of headers) flat.push(name, value)
  return flat
}
