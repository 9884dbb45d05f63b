import type { ScannedFormat } from './filter/scanned-paths.ts'

/** The connection of an event. */
export interface ConnectionFields {
  /** Unique within the process. */
  readonly connectionId: string
  /** Host of the CONNECT request, in canonical form. */
  readonly host: string
  readonly port: number
}

/** A CONNECT request was accepted. */
export interface ConnectEvent extends ConnectionFields {
  readonly type: 'connect'
  readonly intercepted: boolean
}

/** A CONNECT request, or another request to the listener, was refused. */
export interface RefusedEvent {
  readonly type: 'refused'
  readonly status: number
  readonly code: string
  /** Undefined where the target could not be read. */
  readonly host: string | undefined
}

/** A tunnel ended. */
export interface TunnelEvent extends ConnectionFields {
  readonly type: 'tunnel-end'
  /** From the client to the host. */
  readonly bytesSent: number
  readonly bytesReceived: number
  readonly durationMs: number
}

/** The TLS name of a connection differs from its CONNECT target. */
export interface ServerNameEvent extends ConnectionFields {
  readonly type: 'server-name-mismatch'
  readonly serverName: string
  /** Whether the name is that of a listed host. */
  readonly listed: boolean
  readonly closed: boolean
}

/** A client ended the TLS handshake, or took too long: most likely it does not trust the authority. */
export interface HandshakeEvent extends ConnectionFields {
  readonly type: 'handshake-failed'
  readonly reason: 'timeout' | 'refused'
}

/** A request on an intercepted connection is over. */
export interface TrafficEvent extends ConnectionFields {
  readonly type: 'traffic'
  readonly correlationId: string
  readonly method: string
  readonly clientProtocol: 'http/1.1' | 'h2'
  readonly upstreamProtocol: 'http/1.1' | 'h2' | undefined
  /** The format in which the body was scanned; undefined when it was not. */
  readonly scanned: ScannedFormat | undefined
  /** Whether the filter changed the body. */
  readonly rewritten: boolean
  /** Whether the connection became one of another protocol, whose messages are not scanned. */
  readonly upgraded: boolean
  /**
   * `relayed`: the host answered. `blocked`: by the filter. `refused`: by the proxy, before anything was sent.
   * `failed`: the host gave no complete reply. `aborted`: the client left.
   */
  readonly outcome: 'relayed' | 'blocked' | 'refused' | 'failed' | 'aborted'
  /** The status that the client got; undefined when it left before. */
  readonly status: number | undefined
  /** The code of the refusal or failure. */
  readonly code: string | undefined
  /** Bytes of bodies: to the host, and from it. */
  readonly bytesSent: number
  readonly bytesReceived: number
  readonly durationMs: number
}

/** Something that an operator may have to account for. No event holds the text of a request or a path. */
export type MitmEvent = ConnectEvent | RefusedEvent | TunnelEvent | ServerNameEvent | HandshakeEvent | TrafficEvent
