import type { PiiOrigin } from '@svc/pii/audit'

/** The request that an event belongs to. */
interface AuditSubject {
  readonly correlationId: string
  readonly userId?: string | undefined
}

/** Further fields of an event by their wire names: groups, offsets and figures, never the matched text. */
export type AuditFacts = Readonly<Record<string, string | number | boolean>>

/** The filter found private text, or could not search for it. */
export interface PiiAuditEvent extends AuditSubject {
  readonly kind: 'pii'
  /** The part of the server that scanned the text. */
  readonly origin: PiiOrigin
  /** `ner:EMAIL`, `pattern:CARD`, `__unscanned_media__`, `__ner_unavailable__`. */
  readonly patternId: string
  readonly facts: AuditFacts
}

/** A request found every slot of its model taken. */
export interface AdmissionAuditEvent extends AuditSubject {
  readonly kind: 'admission'
  readonly model: string
  readonly statusCode: number
  /** Delay for the caller, milliseconds. */
  readonly retryAfterMs: number
}

/** A client asked the intercepting proxy for a connection to a host. */
export interface ProxyConnectAuditEvent extends AuditSubject {
  readonly kind: 'proxy_connect'
  readonly host: string
  /** Whether the proxy reads the connection; otherwise it is a tunnel. */
  readonly intercepted: boolean
  /** Set for a tunnel whose TLS name is not that of its target; the tunnel has an event without it too. */
  readonly mismatch?: { readonly serverName: string; readonly closed: boolean } | undefined
}

/** A request passed the intercepting proxy. */
export interface ProxyTrafficAuditEvent extends AuditSubject {
  readonly kind: 'proxy_traffic'
  readonly host: string
  readonly bytesSent: number
  readonly bytesReceived: number
  readonly statusCode: number
  readonly durationMs: number
  readonly outcome: 'relayed' | 'blocked' | 'refused' | 'failed' | 'aborted'
  /** Whether the connection became a WebSocket, whose messages are not filtered. */
  readonly upgraded: boolean
}

/** Somebody changed the server, or an account. */
export interface ChangeAuditEvent extends AuditSubject {
  /** `administration` for a change by an admin or a command, `account` for one by any other account. */
  readonly kind: 'administration' | 'account'
  /** The HTTP API, or a command on the machine of the server. */
  readonly origin: 'api' | 'command'
  /** Area and verb: `user.role`, `model.install`. */
  readonly change: string
  /** Name or address of the caller. */
  readonly actor: string
  /** The credential of the caller. */
  readonly via: 'session' | 'api-key' | 'shared-key' | 'none' | 'command'
  /** The key in use. */
  readonly keyId?: string | undefined
  /** Network address of the caller; empty for a command. */
  readonly address: string
  readonly facts: AuditFacts
}

/** An event that an operator may have to account for. */
export type AuditEvent =
  | PiiAuditEvent
  | AdmissionAuditEvent
  | ProxyConnectAuditEvent
  | ProxyTrafficAuditEvent
  | ChangeAuditEvent

export type AuditKind = AuditEvent['kind']

/** The part of the server that an event comes from. */
export type AuditOrigin = PiiOrigin | ChangeAuditEvent['origin']

/** Takes audit events. */
export interface AuditSink {
  /**
   * Takes events for writing. Never waits and never fails; the events are written together shortly after.
   *
   * @returns their ids, in order
   */
  record(events: readonly AuditEvent[]): readonly string[]
  /** Resolves once every event taken so far is written. @throws {SvcError} `unavailable` while the database is away */
  flush(): Promise<void>
}

/** An event as the log keeps it. */
export interface RecordedEvent {
  readonly id: string
  readonly kind: AuditKind
  readonly origin?: AuditOrigin | undefined
  readonly correlationId: string
  readonly userId?: string | undefined
  /** The pattern of a finding; the name of a change. */
  readonly patternId?: string | undefined
  readonly facts: AuditFacts
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** Selects events; an absent field matches every event. */
export interface AuditQuery {
  readonly correlationId?: string | undefined
  readonly userId?: string | undefined
  readonly patternId?: string | undefined
  readonly kinds?: readonly string[] | undefined
  readonly origin?: string | undefined
  /** The name of a change, `model.install`, or its area, `model`. */
  readonly change?: string | undefined
  readonly target?: string | undefined
  /** First moment, milliseconds since the epoch. */
  readonly since?: number | undefined
  /** The moment after the last one. */
  readonly until?: number | undefined
  readonly limit: number
}

/** Reads audit events, including every event recorded before the call. */
export interface AuditReader {
  /** Newest first. */
  list(query: AuditQuery): Promise<readonly RecordedEvent[]>
  /** Counts the events that are not changes. */
  count(): Promise<number>
}
