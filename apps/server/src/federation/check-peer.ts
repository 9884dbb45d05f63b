import { SvcError } from '@svc/errors'
import type { Upstream } from '@svc/http-client'
import { createHopHeaders } from '@svc/proxy'
import { isSafeName } from '../files/safe-path.ts'
import type { Peer } from './peer.ts'

/** Largest list of models that is read. */
const MAX_LIST_BYTES = 2 * 1024 * 1024
/** Most models of a peer that are known. */
const MAX_MODELS = 4096
const CHECK_MS = 5000

/**
 * Asks a peer for its models.
 *
 * @throws {SvcError} where it does not answer with a list
 */
export async function checkPeer(
  { url, credential }: Pick<Peer, 'url' | 'credential'>,
  {
    upstream,
    userAgent,
    signal,
  }: {
    readonly upstream: Upstream
    readonly userAgent: string
    readonly signal: AbortSignal
  },
): Promise<ReadonlySet<string>> {
  const request = {
    method: 'GET' as const,
    url: new URL(`${url}/v1/models`),
    headers: [
      ['user-agent', userAgent] as const,
      ['accept', 'application/json'] as const,
      ['accept-encoding', 'identity'] as const,
      ...credential,
      // Says that a peer asks, so that models of further peers stay out of the list.
      ...createHopHeaders(),
    ],
    timeoutMs: CHECK_MS,
  }
  const { status, body } = await upstream.send(request, { signal })
  const text = await readText(body)
  if (status !== 200) throw unusable(`it answered with status ${status}`)
  return readNames(text)
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > MAX_LIST_BYTES) throw unusable('its list of models is too large')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

function readNames(text: string): ReadonlySet<string> {
  const data = readData(text)
  if (!Array.isArray(data)) throw unusable('its list of models has another form')
  const ids = data.map((entry: unknown) => (entry as { readonly id?: unknown } | null)?.id)
  return new Set(ids.filter((id) => typeof id === 'string' && isSafeName(id)).slice(0, MAX_MODELS) as string[])
}

function readData(text: string): unknown {
  try {
    return (JSON.parse(text) as { readonly data?: unknown } | null)?.data
  } catch {
    return undefined
  }
}

function unusable(reason: string): SvcError {
  return new SvcError('upstream_failed', reason, { code: 'peer_unusable' })
}
