import type { Tables } from '../db/schema.ts'
import type { AuditEvent, AuditFacts, AuditKind, AuditOrigin, RecordedEvent } from './audit-event.ts'

/** An event as the database holds it. */
export type AuditRow = Tables['auditEvents']['$inferSelect']

/** Every origin that an event can have. */
export const AUDIT_ORIGINS: readonly AuditOrigin[] = [
  ...(['middleware', 'proxy', 'pii_analyze', 'pii_redact', 'api', 'command'] as const),
]

const ID_PREFIXES: Readonly<Record<AuditKind, string>> = {
  pii: 'pii',
  proxy_connect: 'pii',
  proxy_traffic: 'pii',
  admission: 'adm',
  administration: 'chg',
  account: 'own',
}

/** The prefixes of ids. Events are kept by their prefix: many of one do not push those of another out. */
export const ALL_ID_PREFIXES: readonly string[] = [...new Set(Object.values(ID_PREFIXES))]

/** The kinds of changes. */
export const CHANGE_KINDS: readonly AuditKind[] = ['administration', 'account']

/** The kinds of decisions of the filter, the proxy and the limits. */
export const DECISION_KINDS: readonly AuditKind[] = ['pii', 'proxy_connect', 'proxy_traffic', 'admission']

/** Gives the prefix of the ids of a kind. */
export function toIdPrefix(kind: AuditKind): string {
  return ID_PREFIXES[kind]
}

/** Gives the prefix of the ids of a kind by its name; undefined for an unknown kind. */
export function findIdPrefix(kind: string): string | undefined {
  return isKind(kind) ? ID_PREFIXES[kind] : undefined
}

function isKind(text: string): text is AuditKind {
  return Object.hasOwn(ID_PREFIXES, text)
}

/** An event with its id and time. */
export interface DatedEvent {
  readonly id: string
  readonly createdAt: number
  readonly event: AuditEvent
}

/** Converts an event to a row. */
export function toAuditRow({ id, createdAt, event }: DatedEvent): AuditRow {
  const { kind, correlationId, userId = '' } = event
  const { origin, patternId } = toColumns(event)
  return { id, createdAt, kind, origin, correlationId, userId, patternId, facts: JSON.stringify(toFacts(event)) }
}

function toColumns(event: AuditEvent): Pick<AuditRow, 'origin' | 'patternId'> {
  switch (event.kind) {
    case 'pii':
      return event
    case 'administration':
    case 'account':
      return { origin: event.origin, patternId: event.change }
    case 'admission':
      return { origin: '', patternId: '' }
    case 'proxy_connect':
    case 'proxy_traffic':
      return { origin: 'proxy', patternId: '' }
  }
}

function toFacts(event: AuditEvent): AuditFacts {
  switch (event.kind) {
    case 'pii':
      return event.facts
    case 'administration':
    case 'account': {
      const { actor, via, keyId, address, facts } = event
      return {
        actor,
        via,
        ...(keyId === undefined ? {} : { api_key_id: keyId }),
        ...(address === '' ? {} : { address }),
        ...facts,
      }
    }
    case 'admission': {
      const { model, statusCode, retryAfterMs } = event
      return { host: model, model, status_code: statusCode, duration_ms: retryAfterMs }
    }
    case 'proxy_connect': {
      const { host, intercepted, mismatch } = event
      return {
        host,
        intercepted,
        ...(mismatch === undefined ? {} : { server_name: mismatch.serverName, closed: mismatch.closed }),
      }
    }
    case 'proxy_traffic': {
      const { host, bytesSent, bytesReceived, statusCode, durationMs, outcome, upgraded } = event
      return {
        host,
        bytes_sent: bytesSent,
        bytes_received: bytesReceived,
        status_code: statusCode,
        duration_ms: durationMs,
        outcome,
        ...(upgraded ? { upgraded } : {}),
      }
    }
  }
}

/** Converts a row to an event. */
export function fromAuditRow(row: AuditRow): RecordedEvent {
  return {
    ...row,
    kind: toKind(row.kind),
    origin: AUDIT_ORIGINS.find((origin) => origin === row.origin),
    facts: JSON.parse(row.facts) as AuditFacts,
  }
}

function toKind(text: string): AuditKind {
  return isKind(text) ? text : 'pii'
}
