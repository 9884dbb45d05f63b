import type { Duplex, Readable, Writable } from 'node:stream'
import type { RawHeaders } from '../headers.ts'
import type { HttpProtocol, ReplyHead } from '../upstream/upstream.ts'

/** A request of a client, over either protocol. */
export interface ClientRequest {
  readonly protocol: HttpProtocol
  readonly method: string
  /** As written. */
  readonly target: string
  /** `Host` and `:authority`, as written. */
  readonly authorities: readonly string[]
  /** All headers as they came. */
  readonly headers: RawHeaders
  readonly hasBody: boolean
  readonly body: Readable
  /** The client waits for a reply of 100 before it sends the body. */
  readonly expectsContinue: boolean
  /** The protocol that the client wants instead of HTTP, such as `websocket`. */
  readonly upgrade: string | undefined
  /** The trailers, once the body has ended. */
  trailers(): RawHeaders
  readonly reply: ClientReply
}

/** The reply to a client: `start`, bytes into `stream`, `finish`; or `abort` at any point. */
export interface ClientReply {
  readonly isStarted: boolean
  /** Takes the body. */
  readonly stream: Writable
  /** Sends a status of 100..199 ahead of the reply. */
  inform(head: Omit<ReplyHead, 'statusText'>): void
  /** @throws {Error} for headers that the client's protocol cannot express */
  start(head: ReplyHead, hasBody: boolean): void
  /** Sends the head now: the first bytes of the body would share its packet. */
  flush(): void
  finish(trailers: RawHeaders): void
  /** Ends a connection of HTTP/1.1 with this reply; to be called before `start`. */
  closeAfterwards(): void
  /** Turns the connection of an HTTP/1.1 request into one of another protocol, and returns it. */
  switchProtocols(head: ReplyHead): Duplex
  abort(): void
  /** Calls back once: when the reply has gone out whole, or the client has left. */
  onceClosed(listener: (isComplete: boolean) => void): void
}

/** Whether a reply to a method has no body by its status. */
export function isBodiless(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304
}
