import { createHash, randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { upstreamFailed } from '@svc/http-client'
import type { ClientRequest } from '../client/request.ts'
import { MitmError } from '../errors.ts'
import { keepEndToEnd, listValues, type RawHeaders, removeHeaders } from '../headers.ts'
import { bracketed, type HostAndPort } from '../hosts/host.ts'
import type { ReplyHead, UpgradeOutcome, UpstreamConnections } from '../upstream/upstream.ts'

/** Options of {@link relayUpgrade}. */
export interface UpgradeOptions {
  readonly upstream: UpstreamConnections
  readonly target: HostAndPort
  readonly signal: AbortSignal
  readonly onBytes: (sent: number, received: number) => void
}

/** The outcome: a relay of bytes that has begun, or a reply to pass on. */
export type UpgradeRelay =
  | { readonly upgraded: true; readonly status: number }
  | (UpgradeOutcome & { readonly upgraded: false })

/** Added to the key of a handshake (RFC 6455, 1.3). */
const WEBSOCKET_ID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const NOT_OF_THE_REQUEST: ReadonlySet<string> = new Set(['host', 'content-length', 'expect'])
const KEY: ReadonlySet<string> = new Set(['sec-websocket-key'])
const ACCEPT: ReadonlySet<string> = new Set(['sec-websocket-accept'])

/**
 * Opens a WebSocket to the host for a handshake over HTTP/1.1 or HTTP/2 (RFC 8441), and moves bytes both ways. Its
 * messages are not scanned.
 *
 * @throws {SvcError} `upgrade_unsupported` for other protocols: one that carries HTTP would get around the filter
 */
export async function relayUpgrade(
  request: ClientRequest,
  protocol: string,
  { upstream, target, signal, onBytes }: UpgradeOptions,
): Promise<UpgradeRelay> {
  const isHttp2 = request.protocol === 'h2'
  const method = isHttp2 ? 'CONNECT' : 'GET'
  if (protocol !== 'websocket' || request.method !== method || (request.hasBody && !isHttp2)) {
    throw new MitmError('invalid_request', 'only WebSockets can be opened here', { code: 'upgrade_unsupported' })
  }
  const key = isHttp2 ? randomBytes(16).toString('base64') : undefined
  const outcome = await upstream.upgrade(
    {
      method: 'GET',
      target: request.target,
      authority: request.authorities[0] ?? `${bracketed(target.host)}:${target.port}`,
      headers: toHandshake(request.headers, key),
      hasBody: false,
    },
    protocol,
    signal,
  )
  if (!outcome.upgraded) return outcome
  const { head, socket, first } = outcome
  if (key !== undefined && !isAccepted(head, key)) {
    socket.destroy()
    throw upstreamFailed('invalid_reply')
  }
  const client = answer(request, head)
  if (first.length > 0) socket.unshift(first)
  join(client, socket, onBytes)
  return { upgraded: true, status: isHttp2 ? 200 : head.status }
}

function toHandshake(headers: RawHeaders, key: string | undefined): RawHeaders {
  const kept = keepEndToEnd(headers, NOT_OF_THE_REQUEST)
  return key === undefined ? kept : [...removeHeaders(kept, KEY), 'sec-websocket-key', key]
}

function isAccepted(head: ReplyHead, key: string): boolean {
  const expected = createHash('sha1').update(`${key}${WEBSOCKET_ID}`).digest('base64')
  return listValues(head.headers, 'sec-websocket-accept')[0] === expected
}

/** Tells the client that the connection is open, and returns its side of it. */
function answer(request: ClientRequest, head: ReplyHead): Duplex {
  const { reply, body } = request
  if (request.protocol === 'h2') {
    const headers = removeHeaders(keepEndToEnd(head.headers), ACCEPT)
    reply.start({ status: 200, statusText: undefined, headers }, true)
    // A stream of HTTP/2 is both sides.
    return body as Duplex
  }
  return reply.switchProtocols(head)
}

function join(client: Duplex, host: Duplex, onBytes: (sent: number, received: number) => void): void {
  client.on('data', (bytes: Buffer) => onBytes(bytes.length, 0))
  host.on('data', (bytes: Buffer) => onBytes(0, bytes.length))
  client.pipe(host)
  host.pipe(client)
  const end = (): void => {
    client.destroy()
    host.destroy()
  }
  for (const side of [client, host]) side.on('error', end).once('close', end)
}
