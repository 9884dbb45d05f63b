import { expect, it } from 'vitest'
import { EventCounter } from './event-counter.ts'
import type { MitmEvent } from './events.ts'

const CONNECTION = { connectionId: '1', host: 'a.example', port: 443 }
const traffic = (outcome: 'relayed' | 'blocked'): MitmEvent => ({
  ...CONNECTION,
  type: 'traffic',
  correlationId: 'c',
  method: 'GET',
  clientProtocol: 'h2',
  upstreamProtocol: 'h2',
  scanned: undefined,
  rewritten: false,
  upgraded: false,
  outcome,
  status: 200,
  code: undefined,
  bytesSent: 0,
  bytesReceived: 0,
  durationMs: 0,
})

it.each<[string, readonly MitmEvent[], readonly [tunnels: number, refused: number, requests: number, blocked: number]]>(
  [
    ['a tunnel', [{ ...CONNECTION, type: 'connect', intercepted: false }], [1, 0, 0, 0]],
    ['an interception', [{ ...CONNECTION, type: 'connect', intercepted: true }], [0, 0, 0, 0]],
    [
      'a tunnel and its end',
      [
        { ...CONNECTION, type: 'connect', intercepted: false },
        { ...CONNECTION, type: 'tunnel-end', bytesSent: 1, bytesReceived: 1, durationMs: 1 },
      ],
      [0, 0, 0, 0],
    ],
    ['a refusal', [{ type: 'refused', status: 400, code: 'x', host: undefined }], [0, 1, 0, 0]],
    ['requests', [traffic('relayed'), traffic('blocked')], [0, 0, 2, 1]],
    ['a handshake', [{ ...CONNECTION, type: 'handshake-failed', reason: 'timeout' }], [0, 0, 0, 0]],
  ],
)('%s is counted before it is handed on, also to a listener that throws', (_name, events, counts) => {
  const seen: MitmEvent[] = []
  const list = () => [counter.tunnels, counter.refused, counter.requests, counter.blocked]
  let last: unknown
  const counter = new EventCounter((event) => {
    seen.push(event)
    last = list()
    throw new Error('of the listener')
  })
  for (const event of events) counter.emit(event)
  expect([seen, last, list()]).toEqual([events, counts, counts])
})
