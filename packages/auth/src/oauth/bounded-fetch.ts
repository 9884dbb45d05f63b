import { isIPv4 } from 'node:net'
import { SvcError } from '@svc/errors'
import { AuthError } from '../errors.ts'
import { ProviderDown } from './provider-error.ts'

/** Sends a request, as `fetch` does. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>

/** The calls that this package makes of a {@link Fetch}. */
export interface FetchInit {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | URLSearchParams | undefined
  readonly redirect: 'manual'
  readonly signal?: AbortSignal | undefined
}

const MAX_REPLY_BYTES = 1024 * 1024
const TIMEOUT_MS = 10_000

function sendByDefault(url: string, { method, headers, body, signal, redirect }: FetchInit): Promise<Response> {
  return fetch(url, { method, headers, body: body ?? null, signal: signal ?? null, redirect })
}

function tooLarge(cause?: unknown): AuthError {
  return new AuthError('upstream_failed', 'the reply of the provider is too large', { cause })
}

async function readAtMost(response: Response, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  let size = 0
  if (response.body !== null) {
    for await (const piece of response.body) {
      size += piece.byteLength
      if (size > limit) throw tooLarge()
      pieces.push(piece)
    }
  }
  const bytes = new Uint8Array(size)
  let position = 0
  for (const piece of pieces) {
    bytes.set(piece, position)
    position += piece.byteLength
  }
  return bytes
}

/** Whether a caller has left. A time limit does not count as leaving. */
function hasLeft({ signal }: FetchInit): boolean {
  if (signal?.aborted !== true) return false
  const { reason } = signal
  return !(reason instanceof Error && reason.name === 'TimeoutError')
}

/** @throws {ProviderDown} without a whole reply; the reason of a caller that has left; {AuthError} for a large reply */
async function read(send: Fetch, url: string, init: FetchInit) {
  try {
    const response = await send(url, init)
    return { response, body: await readAtMost(response, MAX_REPLY_BYTES) }
  } catch (cause) {
    // A given `send` has errors of its own, which say as little as the errors of `fetch`.
    if (cause instanceof AuthError || hasLeft(init)) throw cause
    if (SvcError.is(cause) && cause.kind === 'too_large') throw tooLarge(cause)
    throw new ProviderDown('the provider gives no answer', { cause })
  }
}

/**
 * A fetch for replies of providers: at most 1 MiB, at most 10 seconds, no redirects, since a redirect could carry the
 * secret of the client elsewhere.
 */
export function boundFetch(send: Fetch = sendByDefault): Fetch {
  return async (url, init) => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    const signal = init.signal === undefined ? timeout : AbortSignal.any([init.signal, timeout])
    const { response, body } = await read(send, url, { ...init, redirect: 'manual', signal })
    const { status, statusText, headers } = response
    const isEmpty = [204, 205, 304].includes(status)
    return new Response(isEmpty ? null : body, { status: status < 200 ? 502 : status, statusText, headers })
  }
}

/** Whether an address may be called: https, or plain http on a name of this machine that nobody else can own. */
export function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname.replace(/\.$/, '')))
}

/** Whether a host name is this machine: `localhost`, a name below it, or an address as a URL has it. */
function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return true
  return hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'))
}
