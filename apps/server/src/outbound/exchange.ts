import { type IncomingMessage, type RequestOptions, request as startHttp } from 'node:http'
import { request as startHttps } from 'node:https'
import { isIP, type LookupFunction, type TcpNetConnectOpts } from 'node:net'
import { portOf, type Target } from './target.ts'

/** Options of the connection that requests pass on. */
type AddressSelection = Pick<TcpNetConnectOpts, 'autoSelectFamily' | 'autoSelectFamilyAttemptTimeout'>

/** One request to one checked target. */
export interface ExchangeOptions {
  readonly target: Target
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
  /** Certificates to trust instead of the machine's, PEM. */
  readonly ca?: string | undefined
  /** Aborted: the connection is cut at once, also while the body is read. */
  readonly signal: AbortSignal
}

const MAX_HEADER_BYTES = 64 * 1024
/** Interim replies (1xx) before the reply; a server that sends more is not going to answer. */
const MAX_INTERIM_REPLIES = 16
/** Of the addresses of a name, so many are tried. */
const MAX_TRIED_ADDRESSES = 8
const ADDRESS_ATTEMPT_MS = 2000

/**
 * Sends a request over a connection of its own to one of the target's addresses and gives the reply once its headers
 * are in. The name is not looked up again, whatever it means by now; it stays in `Host`, in SNI and in the check of the
 * certificate. No proxy of the environment is used, since it would do its own look-up.
 *
 * @returns the reply; destroying it cuts the connection
 */
export function exchange({ target, method, headers, body, ca, signal }: ExchangeOptions): Promise<IncomingMessage> {
  const { url, host } = target
  const isName = isIP(host) === 0
  const options: RequestOptions & AddressSelection = {
    agent: false,
    host,
    port: portOf(url),
    path: `${url.pathname}${url.search}`,
    method,
    headers: { host: url.host, ...headers },
    lookup: pinnedLookup(target.addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
  }
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const request =
      url.protocol === 'https:'
        ? startHttps({ ...options, servername: isName ? host : '', rejectUnauthorized: true, ...(ca ? { ca } : {}) })
        : startHttp(options)
    const cutRequest = () => request.destroy(new Error('the fetch was aborted'))
    signal.addEventListener('abort', cutRequest)
    let reply: IncomingMessage | undefined
    request.on('error', (error: NodeJS.ErrnoException) => {
      reject(error)
      // Once there is a reply, its reader learns only of a lost connection unless told that the rest is not HTTP.
      if (error.code?.startsWith('HPE_')) reply?.destroy(error)
    })
    let interimReplies = 0
    request.on('information', () => {
      interimReplies += 1
      if (interimReplies > MAX_INTERIM_REPLIES)
        request.destroy(failure('HPE_INTERIM_REPLIES', 'too many interim replies'))
    })
    request.once('upgrade', (_reply, socket) => {
      socket.destroy()
      reject(failure('HPE_UPGRADE', 'the protocol was changed without being asked'))
    })
    request.once('response', (message) => {
      reply = message
      signal.removeEventListener('abort', cutRequest)
      // The request's own destroy drops what has come and not been read, without telling the reader.
      const cutReply = () => message.destroy(new Error('the fetch was aborted'))
      signal.addEventListener('abort', cutReply)
      message.once('close', () => signal.removeEventListener('abort', cutReply))
      message.on('error', () => {})
      resolve(message)
    })
    request.once('close', () => {
      signal.removeEventListener('abort', cutRequest)
      reject(failure('ECONNRESET', 'the connection was closed without a reply'))
    })
    request.end(body)
  })
}

/** Answers with the addresses that were checked, and no other. */
function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const answers = addresses.slice(0, MAX_TRIED_ADDRESSES).map((address) => ({ address, family: isIP(address) }))
  return (_name, { all }, callback) => {
    const [first] = answers
    process.nextTick(() => {
      if (first === undefined) callback(new Error('the name has no address'), '')
      else if (all === true) callback(null, answers)
      else callback(null, first.address, first.family)
    })
  }
}

/** An error that reads as one of Node's own. */
function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
