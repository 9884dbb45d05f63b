import type { MitmEvent } from '@svc/mitm'
import type { AuditEvent, AuditSink } from '../audit/audit-event.ts'
import type { Logger } from '../ports.ts'
import type { InterceptionMetrics } from './metrics.ts'

/** Options of {@link createEventRecorder}. */
export interface EventRecorderOptions {
  /** Distinguishes the connections of this listener from those of others in the log of 30 days. */
  readonly listenerId: string
  readonly events: AuditSink
  readonly metrics: InterceptionMetrics
  readonly logger: Logger
}

/** The status of a request whose client left: it got none. */
const CLIENT_LEFT = 499
/** Hosts whose failed handshakes are remembered, so that each is reported once. */
const MAX_REPORTED = 100

/** Records the events of a proxy: in the audit log, in metrics, and in the log where an operator must act. */
export function createEventRecorder(options: EventRecorderOptions): (event: MitmEvent) => void {
  const { listenerId, events, metrics, logger } = options
  const untrusting = new Set<string>()

  function reportHandshake(host: string, reason: string): void {
    if (untrusting.has(host) || untrusting.size >= MAX_REPORTED) return
    untrusting.add(host)
    logger.warn({ host, reason }, 'a client ended the TLS handshake; most likely it does not trust the authority')
  }

  return (event) => {
    metrics.count(event)
    const entry = toAuditEvent(event, listenerId)
    if (entry !== undefined) events.record([entry])
    if (event.type === 'handshake-failed') reportHandshake(event.host, event.reason)
    if (event.type === 'server-name-mismatch') {
      const { host, serverName, listed, closed } = event
      logger.warn({ host, serverName, listed, closed }, 'the TLS name of a tunnel is not that of its target')
    }
    if (event.type === 'traffic' && event.upgraded) {
      logger.info({ host: event.host }, 'a connection was upgraded; its messages are not filtered')
    }
  }
}

function toAuditEvent(event: MitmEvent, listenerId: string): AuditEvent | undefined {
  switch (event.type) {
    case 'connect': {
      const { host, intercepted, connectionId } = event
      return { kind: 'proxy_connect', correlationId: `${listenerId}-${connectionId}`, host, intercepted }
    }
    case 'server-name-mismatch': {
      const { host, serverName, closed, connectionId } = event
      const correlationId = `${listenerId}-${connectionId}`
      return { kind: 'proxy_connect', correlationId, host, intercepted: false, mismatch: { serverName, closed } }
    }
    case 'traffic': {
      const { correlationId, host, bytesSent, bytesReceived, status = CLIENT_LEFT, outcome, upgraded } = event
      const durationMs = Math.round(event.durationMs)
      const facts = { host, bytesSent, bytesReceived, statusCode: status, durationMs, outcome, upgraded }
      return { kind: 'proxy_traffic', correlationId, ...facts }
    }
    case 'refused':
    case 'tunnel-end':
    case 'handshake-failed':
      return undefined
  }
}
