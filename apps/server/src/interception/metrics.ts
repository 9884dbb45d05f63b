import type { MitmCounts, MitmEvent, ScannedFormat } from '@svc/mitm'
import { Counter, Gauge, type Registry } from 'prom-client'

const SCANNED: readonly ScannedFormat[] = ['chat-completions', 'messages', 'completions', 'embeddings', 'responses']

/** Counts the events of the proxy. Labels come from closed sets: no host, no path. */
export interface InterceptionMetrics {
  count(event: MitmEvent): void
}

/**
 * Creates the metrics on the server's registry.
 *
 * @param counts the figures of the running proxy; undefined while none runs
 */
export function createInterceptionMetrics(
  registry: Registry,
  counts: () => MitmCounts | undefined,
): InterceptionMetrics {
  const registers = [registry]
  const connections = new Counter({
    name: 'svc_mitm_connections_total',
    help: 'CONNECT requests to the intercepting proxy.',
    labelNames: ['kind'] as const,
    registers,
  })
  const requests = new Counter({
    name: 'svc_mitm_requests_total',
    help: 'Requests on intercepted connections, by their end and by the format in which they were scanned.',
    labelNames: ['outcome', 'format'] as const,
    registers,
  })
  const bytes = new Counter({
    name: 'svc_mitm_bytes_total',
    help: 'Bytes of tunnels, and of bodies on intercepted connections, seen from the client.',
    labelNames: ['kind', 'direction'] as const,
    registers,
  })
  const failures = new Counter({
    name: 'svc_mitm_handshake_failures_total',
    help: 'TLS handshakes that clients ended: most likely they do not trust the authority.',
    registers,
  })
  new Gauge({
    name: 'svc_mitm_open_connections',
    help: 'Open connections of the intercepting proxy.',
    labelNames: ['kind'] as const,
    registers,
    collect() {
      const { intercepted = 0, tunnels = 0 } = counts() ?? {}
      this.set({ kind: 'intercepted' }, intercepted)
      this.set({ kind: 'tunnelled' }, tunnels)
    },
  })
  // A series exists from the start, so that a rate begins at zero.
  for (const kind of ['intercepted', 'tunnelled', 'refused']) connections.inc({ kind }, 0)
  for (const format of [...SCANNED, 'none']) requests.inc({ outcome: 'relayed', format }, 0)
  for (const format of SCANNED) requests.inc({ outcome: 'blocked', format }, 0)

  const countBytes = (kind: 'intercepted' | 'tunnelled', sent: number, received: number): void => {
    bytes.inc({ kind, direction: 'sent' }, sent)
    bytes.inc({ kind, direction: 'received' }, received)
  }
  return {
    count(event) {
      switch (event.type) {
        case 'connect':
          connections.inc({ kind: event.intercepted ? 'intercepted' : 'tunnelled' })
          break
        case 'refused':
          connections.inc({ kind: 'refused' })
          break
        case 'tunnel-end':
          countBytes('tunnelled', event.bytesSent, event.bytesReceived)
          break
        case 'traffic':
          requests.inc({ outcome: event.outcome, format: event.scanned ?? 'none' })
          countBytes('intercepted', event.bytesSent, event.bytesReceived)
          break
        case 'handshake-failed':
          failures.inc()
          break
        case 'server-name-mismatch':
          break
      }
    },
  }
}
