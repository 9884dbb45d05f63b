import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { upstreamFailed } from '../errors.ts'
import type { ForwardProxy } from './forward-proxy.ts'
import type { Destination } from './no-proxy.ts'

/** Options of {@link openTunnel}. */
export interface TunnelOptions {
  /** Authorities that verify a proxy over TLS. @default the authorities of Node */
  readonly trust?: (() => SecureContext) | undefined
  /** Its abort cuts the connection; it is also the only time limit. */
  readonly signal?: AbortSignal | undefined
  /** Whether the socket stays open for writing when the other side has ended. @default false */
  readonly allowHalfOpen?: boolean | undefined
}

const MAX_HEAD_BYTES = 16 * 1024
const END_OF_HEAD = '\r\n\r\n'
/** Most interim replies (1xx) that a proxy may send before its answer. */
const MAX_INTERIM_REPLIES = 16

/** Connects to the proxy itself. */
export function connectToProxy(
  { isTls, host, port }: ForwardProxy,
  { trust, allowHalfOpen = false }: Pick<TunnelOptions, 'trust' | 'allowHalfOpen'>,
): Socket {
  if (!isTls) return connectTcp({ host, port, noDelay: true, autoSelectFamily: true, allowHalfOpen })
  // The declared options of TLS lack the options of its socket.
  const socket = { host, port, autoSelectFamily: true, allowHalfOpen }
  return connectTls({
    ...socket,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
    servername: isIP(host) === 0 ? host : '',
    ...(trust === undefined ? {} : { secureContext: trust() }),
  })
}

/**
 * Opens a connection to a destination through a proxy, by CONNECT (RFC 9110, 9.3.6). The proxy looks the name up
 * itself. The socket is paused, so that nothing is lost before somebody listens.
 *
 * @throws {SvcError} `upstream_failed` with the reasons `proxy_credentials`, `proxy_refused`, `proxy_lost`; the errors
 *   of a connection to the proxy; the signal's reason
 */
export function openTunnel(
  proxy: ForwardProxy,
  destination: Destination,
  options: TunnelOptions = {},
): Promise<Socket> {
  const { signal } = options
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const socket = connectToProxy(proxy, options)
    let seen = ''
    let interim = 0
    const leave = (): void => {
      socket.off('data', onData)
      socket.off('end', onEnd)
      socket.off('close', onEnd)
      signal?.removeEventListener('abort', onAbort)
    }
    const fail = (error: unknown): void => {
      leave()
      socket.destroy()
      reject(error)
    }
    const onEnd = (): void => fail(upstreamFailed('proxy_lost'))
    const onAbort = (): void => fail(signal?.reason)
    const onData = (bytes: Buffer): void => {
      seen += bytes.toString('latin1')
      const reply = takeReply()
      if (reply === undefined) {
        if (seen.length > MAX_HEAD_BYTES) fail(refuse(0))
        return
      }
      if (reply < 200 || reply > 299) {
        fail(refuse(reply))
        return
      }
      leave()
      socket.pause()
      // The destination may speak first.
      if (seen !== '') socket.unshift(Buffer.from(seen, 'latin1'))
      resolve(socket)
    }
    /** The status of the answer, once its head is there; interim replies before it are dropped. */
    const takeReply = (): number | undefined => {
      for (let end = seen.indexOf(END_OF_HEAD); end >= 0; end = seen.indexOf(END_OF_HEAD)) {
        const status = readStatus(seen.slice(0, end))
        seen = seen.slice(end + END_OF_HEAD.length)
        interim += 1
        if (status < 100 || status > 199 || status === 101 || interim > MAX_INTERIM_REPLIES) return status
      }
      return undefined
    }
    // Stays: an error after the wait belongs to the owner of the socket, and without a listener it would end the
    // process.
    socket.on('error', fail)
    socket.on('data', onData)
    socket.once('end', onEnd)
    socket.once('close', onEnd)
    signal?.addEventListener('abort', onAbort, { once: true })
    socket.once(proxy.isTls ? 'secureConnect' : 'connect', () => socket.write(writeConnect(proxy, destination)))
  })
}

function writeConnect({ authorization }: ForwardProxy, { host, port }: Destination): string {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const credentials = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`
  return `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`
}

/** The status of a head; 0 for a head that is not a reply of HTTP/1. */
function readStatus(head: string): number {
  return Number(/^HTTP\/1\.[01] (\d{3})(?: |\r|$)/.exec(head)?.[1] ?? 0)
}

function refuse(status: number): Error {
  const cause = new Error(status === 0 ? 'the proxy answers with no HTTP' : `the proxy answers with status ${status}`)
  return upstreamFailed(status === 407 ? 'proxy_credentials' : 'proxy_refused', cause)
}
