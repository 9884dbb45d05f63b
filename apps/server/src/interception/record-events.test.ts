import type { MitmEvent } from '@svc/mitm'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import type { AuditEvent } from '../audit/audit-event.ts'
import type { Logger } from '../ports.ts'
import { createInterceptionMetrics } from './metrics.ts'
import { createEventRecorder } from './record-events.ts'

const connection = { connectionId: '7', host: 'api.example', port: 443 }
const traffic: MitmEvent = {
  ...connection,
  type: 'traffic',
  correlationId: 'c',
  method: 'POST',
  clientProtocol: 'h2',
  upstreamProtocol: 'h2',
  scanned: 'messages',
  rewritten: true,
  upgraded: false,
  outcome: 'relayed',
  status: 200,
  code: undefined,
  bytesSent: 10,
  bytesReceived: 20,
  durationMs: 1.6,
}

function open() {
  const registry = new Registry()
  const recorded: AuditEvent[] = []
  const lines: string[] = []
  const log = (_: object, text: string): void => void lines.push(text)
  const logger: Logger = { debug() {}, info: log, warn: log, error: log }
  const record = createEventRecorder({
    listenerId: 'mitm-1',
    events: {
      record(events) {
        recorded.push(...events)
        return events.map(() => 'id')
      },
      flush: () => Promise.resolve(),
    },
    metrics: createInterceptionMetrics(registry, () => undefined),
    logger,
  })
  return { record, recorded, lines, metrics: () => registry.metrics() }
}

it('a connection and a request are events; a tunnel that ends and a refusal only count', async () => {
  const { record, recorded, lines, metrics } = open()
  record({ ...connection, type: 'connect', intercepted: true })
  record(traffic)
  record({ ...connection, type: 'tunnel-end', bytesSent: 3, bytesReceived: 4, durationMs: 5 })
  record({ type: 'refused', status: 403, code: 'forbidden_target', host: 'x.example' })
  expect(recorded).toEqual([
    { kind: 'proxy_connect', correlationId: 'mitm-1-7', host: 'api.example', intercepted: true },
    {
      kind: 'proxy_traffic',
      correlationId: 'c',
      host: 'api.example',
      bytesSent: 10,
      bytesReceived: 20,
      statusCode: 200,
      durationMs: 2,
      outcome: 'relayed',
      upgraded: false,
    },
  ])
  expect(lines).toEqual([])
  const text = await metrics()
  for (const line of [
    'svc_mitm_connections_total{kind="intercepted"} 1',
    'svc_mitm_connections_total{kind="refused"} 1',
    'svc_mitm_requests_total{outcome="relayed",format="messages"} 1',
    'svc_mitm_bytes_total{kind="intercepted",direction="sent"} 10',
    'svc_mitm_bytes_total{kind="tunnelled",direction="received"} 4',
    'svc_mitm_open_connections{kind="tunnelled"} 0',
  ]) {
    expect(text).toContain(`${line}\n`)
  }
})

it('a client that left is 499, and a WebSocket is noted', () => {
  const { record, recorded, lines } = open()
  record({ ...traffic, outcome: 'aborted', status: undefined })
  record({ ...traffic, upgraded: true, status: 101 })
  expect(recorded).toMatchObject([
    { statusCode: 499, outcome: 'aborted' },
    { statusCode: 101, upgraded: true },
  ])
  expect(lines).toEqual(['a connection was upgraded; its messages are not filtered'])
})

it('a name that is not that of the target is an event and a warning', () => {
  const { record, recorded, lines } = open()
  record({ ...connection, type: 'server-name-mismatch', serverName: 'listed.example', listed: true, closed: true })
  expect(recorded).toMatchObject([{ intercepted: false, mismatch: { serverName: 'listed.example', closed: true } }])
  expect(lines).toEqual(['the TLS name of a tunnel is not that of its target'])
})

it('failed handshakes are reported once for a host, of a hundred hosts at most', async () => {
  const { record, recorded, lines, metrics } = open()
  for (let index = 0; index < 300; index++) {
    record({ ...connection, host: `host-${index % 150}.example`, type: 'handshake-failed', reason: 'refused' })
  }
  expect([recorded, lines.length]).toEqual([[], 100])
  expect(await metrics()).toContain('svc_mitm_handshake_failures_total 300\n')
})
