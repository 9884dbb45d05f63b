import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { PreparedHeaders } from '@svc/http-reader'
import type { RemoteEnd } from './tunnelled-clients.ts'

/** A request: Node's, or one of `@svc/http-reader`. */
export interface ServerRequest {
  readonly method?: string | undefined
  /** The request target: a path and perhaps a query. */
  readonly url?: string | undefined
  /** Undefined for a plain request, which is HTTP/1.1. */
  readonly httpVersion?: string | undefined
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  readonly socket: RemoteEnd
  /** All bytes, or a stream; undefined for Node's request, which is itself the stream of its body. */
  readonly body?: Uint8Array | Readable
}

/** Headers that are given with a head: by name, or names and values in turn. */
export type GivenHeaders = Record<string, string | number> | string[]

/** A reply: Node's, or one of `@svc/http-reader`. */
export interface ServerReply {
  statusCode: number
  readonly headersSent: boolean
  readonly writableEnded: boolean
  /** Whether the system has taken the whole reply. */
  readonly writableFinished: boolean
  readonly destroyed: boolean
  setHeader(name: string, value: string | number | readonly string[]): unknown
  appendHeader(name: string, value: string): unknown
  hasHeader(name: string): boolean
  getHeaders(): OutgoingHttpHeaders
  /** @param headers they win over headers that were set */
  writeHead(status: number, headers: GivenHeaders): ServerReply
  /** @returns false when the client does not keep up; `drain` follows */
  write(data: string | Uint8Array): boolean
  write(data: string, encoding: 'latin1'): boolean
  end(data?: string | Uint8Array): unknown
  end(data: string, encoding: 'latin1'): unknown
  /** Cuts the connection. */
  destroy(): unknown
  on(event: ReplyEvent, listener: () => void): unknown
  once(event: ReplyEvent, listener: () => void): unknown
  off(event: ReplyEvent, listener: () => void): unknown
  /** Takes headers that the head has beside the set ones. A set header of the same name wins. */
  prepare?(headers: PreparedHeaders): void
  /** Sends `100 Continue` to a client that waits for it. */
  sendContinue?(): void
  /** Sends the head before any of the body. */
  flushHeaders?(): void
}

/** `close` comes once for every reply; `finish` comes before it when the system has taken the whole reply. */
export type ReplyEvent = 'close' | 'drain' | 'finish'

/** The body of a request as a stream. @throws {TypeError} for a request whose body came whole */
export function toBodyStream(incoming: ServerRequest): Readable {
  if (incoming.body instanceof Readable) return incoming.body
  if (incoming instanceof Readable) return incoming
  throw new TypeError('the body of this request is not a stream')
}
