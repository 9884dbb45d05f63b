import type { Duplex, Readable, Writable } from 'node:stream'
import { SvcError } from '@svc/errors'
import type { RawHeaders } from '../headers.ts'

export type HttpProtocol = 'http/1.1' | 'h2'

/** The head of a request to the host; its headers end at the host and name no length of their own making. */
export interface UpstreamRequest {
  readonly method: string
  readonly target: string
  /** The value of `Host` or `:authority`. */
  readonly authority: string
  readonly headers: RawHeaders
  readonly hasBody: boolean
}

/** Status and headers of a reply as they came, without the headers that end at a neighbour. */
export interface ReplyHead {
  readonly status: number
  /** The reason phrase of HTTP/1.1. */
  readonly statusText: string | undefined
  readonly headers: RawHeaders
}

/** Takes the reply to a request. The order is `information` any number of times, then `reply` or `fail`. */
export interface ReplyListener {
  information(head: ReplyHead): void
  reply(head: ReplyHead, body: UpstreamBody): void
  /** Before `reply` only: later failures are errors of the body. */
  fail(error: unknown, isUnprocessed: boolean): void
}

/** Ends the way of a request that nobody waits for. */
export function checkWanted(isWanted: () => boolean): void {
  if (!isWanted()) throw new SvcError('cancelled', 'the client left')
}

/** The body of a reply; its stream fails when the reply is cut off. */
export interface UpstreamBody {
  readonly stream: Readable
  /** The trailers, once the stream has ended. */
  trailers(): RawHeaders
}

/** A running request to the host. */
export interface UpstreamExchange {
  readonly protocol: HttpProtocol
  /** Takes the body of the request. */
  readonly stream: Writable
  /** Trailers that go out behind the body; to be set before its end. */
  setTrailers(trailers: RawHeaders): void
  abort(): void
}

/** The connections to the host that belong to one connection of a client. No other client's requests go over them. */
export interface UpstreamConnections {
  /**
   * Sends a head.
   *
   * @param isWanted asked after each wait
   * @throws {SvcError} when no connection can be made, or the request has no form that the host's protocol allows
   */
  start(request: UpstreamRequest, listener: ReplyListener, isWanted: () => boolean): Promise<UpstreamExchange>
  /** Asks for another protocol over HTTP/1.1, on a connection of its own, which ends with the signal. */
  upgrade(request: UpstreamRequest, protocol: string, signal: AbortSignal): Promise<UpgradeOutcome>
  close(): void
}

/** The answer to an upgrade: the connection, or a reply as to any request. */
export type UpgradeOutcome =
  | { readonly upgraded: true; readonly head: ReplyHead; readonly socket: Duplex; readonly first: Buffer }
  | { readonly upgraded: false; readonly head: ReplyHead; readonly body: UpstreamBody }
