import type { PiiOrigin } from '@svc/pii/audit'
import type { Tables } from '../db/schema.ts'
import type { AuditEvent, AuditFacts, AuditKind, RecordedEvent } from './audit-event.ts'

/** An event as the database holds it. */
export type AuditRow = Tables['auditEvents']['$inferSelect']

/** Every origin that an event can have. */
export const PII_ORIGINS: readonly PiiOrigin[] = ['middleware', 'proxy', 'pii_analyze', 'pii_redact']

const ID_PREFIXES: Readonly<Record<AuditKind, string>> = {
  pii: 'pii',
  proxy_connect: 'pii',
  proxy_traffic: 'pii',
  admission: 'adm',
}

/** Gives the prefix of the ids of a kind. */
export function toIdPrefix(kind: AuditKind): string {
  return ID_PREFIXES[kind]
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
  const { origin, patternId } = event.kind === 'pii' ? event : { origin: toOrigin(event.kind), patternId: '' }
  return { id, createdAt, kind, origin, correlationId, userId, patternId, facts: JSON.stringify(toFacts(event)) }
}

function toOrigin(kind: Exclude<AuditKind, 'pii'>): string {
  return kind === 'admission' ? '' : 'proxy'
}

function toFacts(event: AuditEvent): AuditFacts {
  switch (event.kind) {
    case 'pii':
      return event.facts
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
    origin: PII_ORIGINS.find((origin) => origin === row.origin),
    facts: JSON.parse(row.facts) as AuditFacts,
  }
}

function toKind(text: string): AuditKind {
  return Object.hasOwn(ID_PREFIXES, text) ? (text as AuditKind) : 'pii'
}
