import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { PreparedHeaders } from './prepared-headers.ts'

/** A request as the server reads it: Node's, or one of a connection that the server reads itself. */
export interface ServerRequest {
  readonly method?: string | undefined
  /** The request target: a path and perhaps a query. */
  readonly url?: string | undefined
  /** Of requests that the server reads itself it is not said: `1.1`. */
  readonly httpVersion?: string | undefined
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  readonly socket: { readonly remoteAddress?: string | undefined }
  /** Whole, or as it comes; Node's request is itself what its body is read from. */
  readonly body?: Uint8Array | Readable
}

/** Headers that are given with a head: by name, or names and values in turn. */
export type GivenHeaders = Record<string, string | number> | string[]

/** A reply as the server writes it: Node's, or one of a connection that the server reads itself. */
export interface ServerReply {
  statusCode: number
  readonly headersSent: boolean
  readonly writableEnded: boolean
  /** Whether all of it has been handed to the system. */
  readonly writableFinished: boolean
  readonly destroyed: boolean
  setHeader(name: string, value: string | number | readonly string[]): unknown
  appendHeader(name: string, value: string): unknown
  hasHeader(name: string): boolean
  getHeaders(): OutgoingHttpHeaders
  /** @param headers they go before those that were set */
  writeHead(status: number, headers: GivenHeaders): ServerReply
  /** @returns false when the reader does not keep up; `drain` follows */
  write(data: string | Uint8Array): boolean
  write(data: string, encoding: 'latin1'): boolean
  end(data?: string | Uint8Array): unknown
  end(data: string, encoding: 'latin1'): unknown
  /** Cuts the connection. */
  destroy(): unknown
  on(event: ReplyEvent, listener: () => void): unknown
  once(event: ReplyEvent, listener: () => void): unknown
  off(event: ReplyEvent, listener: () => void): unknown
  /** Takes the headers that the head will have beside those that are set. */
  prepare?(headers: PreparedHeaders): void
  /** Tells a client that waits for it that its body is wanted. */
  invite?(): void
  /** Sends the head before any of the body. */
  flushHeaders?(): void
}

/** `close` comes once for every reply, `finish` before it where the reply went out whole. */
export type ReplyEvent = 'close' | 'drain' | 'finish'

/** What the body of a request is read from, as it comes. */
export function streamOf(incoming: ServerRequest): Readable {
  if (incoming.body instanceof Readable) return incoming.body
  if (incoming instanceof Readable) return incoming
  throw new TypeError('a request that no body can be read from')
}
