import { type ClientRequest, type IncomingMessage, type RequestOptions, request as startHttp } from 'node:http'
import { request as startHttps } from 'node:https'
import { isIP, type Socket, type TcpNetConnectOpts } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { type ForwardProxy, openTunnel, pinAddresses, toDestination } from '@svc/http-client'
import type { KeptConnections } from './kept-connections.ts'
import { readPort, type Target } from './target.ts'

/** Options of the connection that requests pass on. */
type AddressSelection = Pick<TcpNetConnectOpts, 'autoSelectFamily' | 'autoSelectFamilyAttemptTimeout'>

/** One request to one checked target. */
export interface ExchangeOptions {
  readonly target: Target
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
  /** Certificates of authorities. @default Node's own authorities */
  readonly certificates?: (() => SecureContext) | undefined
  /** Reached in place of the target: it looks the target's name up itself. */
  readonly proxy?: ForwardProxy | undefined
  /** Connections that may be used again, except behind a proxy. @default a new one */
  readonly connections?: KeptConnections | undefined
  /** Signal whose abort cuts the connection at once, also while the body is read. */
  readonly signal: AbortSignal
}

const MAX_HEADER_BYTES = 64 * 1024
/** Maximum number of interim replies (1xx); a server that sends more will not answer. */
const MAX_INTERIM_REPLIES = 16
/** Maximum number of a name's addresses to try. */
const MAX_TRIED_ADDRESSES = 8
const ADDRESS_ATTEMPT_MS = 2000

/**
 * Sends a request over a connection to one of the target's addresses and gives the reply once its headers have arrived.
 * The name is not looked up again; it stays in `Host`, in SNI and in the check of the certificate. Behind a proxy, https
 * goes through a tunnel and plain http asks the proxy for the whole URL.
 *
 * @returns the reply; destroying it cuts the connection
 * @throws as `openTunnel` does, where the proxy gives no tunnel
 */
export async function exchange({ body, signal, ...options }: ExchangeOptions): Promise<IncomingMessage> {
  const { proxy, target, certificates } = options
  const tunnel =
    proxy === undefined || target.url.protocol === 'http:'
      ? undefined
      : await openTunnel(proxy, toDestination(target.url), { trust: certificates, signal })
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const request = startRequest({ ...options, tunnel })
    cutOnAbort(request, signal)
    limitInterimReplies(request)
    let reply: IncomingMessage | undefined
    request.on('error', (error: NodeJS.ErrnoException) => {
      reject(error)
      // After the headers the reader only learns of a lost connection, so a parse error must be passed on.
      if (error.code?.startsWith('HPE_')) reply?.destroy(error)
    })
    request.once('upgrade', (_reply, socket) => {
      socket.destroy()
      reject(createFailure('HPE_UPGRADE', 'the protocol was changed without being asked'))
    })
    request.once('response', (message) => {
      reply = message
      cutOnAbort(message, signal)
      message.on('error', () => {})
      resolve(message)
    })
    request.once('close', () => {
      if (reply === undefined) reject(createFailure('ECONNRESET', 'the connection was closed without a reply'))
    })
    request.end(body)
  })
}

function startRequest({
  target,
  method,
  headers,
  certificates,
  proxy,
  connections,
  tunnel,
}: Omit<ExchangeOptions, 'body' | 'signal'> & { readonly tunnel: Socket | undefined }): ClientRequest {
  const { url, host, addresses } = target
  const options: RequestOptions & AddressSelection = {
    agent: (proxy === undefined ? connections?.agentFor(target) : undefined) ?? false,
    host,
    port: readPort(url),
    path: `${url.pathname}${url.search}`,
    method,
    headers: { host: url.host, ...headers },
    // only some of a name's addresses are tried
    lookup: pinAddresses(
      addresses.slice(0, MAX_TRIED_ADDRESSES).map((address) => ({ address, family: isIP(address) })),
    ),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
  }
  // plain http over no proxy needs no certificates, which take long to read
  const secureContext = url.protocol === 'http:' && proxy === undefined ? undefined : certificates?.()
  const trust = secureContext === undefined ? {} : { secureContext }
  const tls = { servername: isIP(host) === 0 ? host : '', rejectUnauthorized: true, ...trust }
  if (tunnel !== undefined) {
    // The request takes the connection as it is.
    const { agent: _, lookup: __, ...rest } = options
    return startHttp({ ...rest, createConnection: () => connectTls({ ...tls, socket: tunnel }) })
  }
  if (proxy !== undefined) return askProxy(proxy, url, { ...options, ...trust })
  return url.protocol === 'http:' ? startHttp(options) : startHttps({ ...options, ...tls })
}

/** Asks a proxy for a URL. */
function askProxy(proxy: ForwardProxy, url: URL, { lookup: _, ...options }: RequestOptions): ClientRequest {
  const { host, port, isTls, authorization } = proxy
  const headers = {
    ...(options.headers as Record<string, string>),
    ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
  }
  const asked = { ...options, host, port, path: url.href, headers }
  return isTls
    ? startHttps({ ...asked, servername: isIP(host) === 0 ? host : '', rejectUnauthorized: true })
    : startHttp(asked)
}

/** Destroys a request, or its reply, when the signal is aborted. */
function cutOnAbort(stream: ClientRequest | IncomingMessage, signal: AbortSignal): void {
  const cut = () => void stream.destroy(new Error('the fetch was aborted'))
  const letGo = () => signal.removeEventListener('abort', cut)
  signal.addEventListener('abort', cut)
  // Destroying a request after its reply has begun would drop unread content.
  stream.once('response', letGo)
  stream.once('close', letGo)
}

function limitInterimReplies(request: ClientRequest): void {
  let count = 0
  request.on('information', () => {
    count += 1
    if (count > MAX_INTERIM_REPLIES) request.destroy(createFailure('HPE_INTERIM_REPLIES', 'too many interim replies'))
  })
}

/** Creates an error that looks like one of Node's own. */
function createFailure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
