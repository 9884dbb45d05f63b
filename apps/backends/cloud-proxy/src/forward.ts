import type { ForwardReply, ForwardRequest, PartialMessage } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import type { Upstream } from '@svc/http-client'
import { parseJson } from '@svc/json'
import {
  type CloudTarget,
  createCloudRequest,
  createKeyRedactor,
  createPassthroughBody,
  selectReplyHeaders,
} from '@svc/proxy'
import type { CloudModel } from './cloud-model.ts'

/** The largest body that is forwarded, in bytes. */
const MAX_BODY_BYTES = 64 * 1024 * 1024
/** The largest piece of a reply in one message, in bytes. */
const MAX_PIECE_BYTES = 1024 * 1024

/** Dependencies of forwarding. */
export interface ForwardContext {
  readonly model: CloudModel
  readonly upstream: Pick<Upstream, 'send'>
  readonly signal: AbortSignal
}

/**
 * Relays one request unchanged, except for its top-level model. The first message has path, method and headers; the
 * chunks of all messages are the body. The reply begins with status and headers and continues with the body as it
 * arrives. The key is redacted in an error that repeats it.
 *
 * @throws {SvcError} `invalid_request` in translate mode and for a body that is not JSON, `too_large`,
 *   `upstream_failed`
 */
export async function* forward(
  requests: AsyncIterable<ForwardRequest>,
  { model, upstream, signal }: ForwardContext,
): AsyncGenerator<PartialMessage<ForwardReply>, void, undefined> {
  if (model.mode !== 'passthrough') {
    throw new SvcError('invalid_request', 'this model translates requests: call Predict', { code: 'translate_only' })
  }
  const { head, body } = await readRequest(requests)
  if (head.method !== '' && head.method !== 'POST') {
    throw new SvcError('invalid_request', 'only POST can be forwarded', { code: 'method_not_forwardable' })
  }
  const { bytes, isStream } = createPassthroughBody(parseJson(body), { upstreamModel: model.target.upstreamModel })
  const client = (name: string): string | undefined => {
    const values = head.headers.filter((header) => header.name.toLowerCase() === name).map(({ value }) => value)
    return values.length > 0 ? values.join(', ') : undefined
  }
  const target = withPath(model.target, head.path)
  const request = createCloudRequest(target, { client, body: bytes, isStream })
  const reply = await upstream.send(request, { signal })
  if (reply.status >= 300 && reply.status < 400) {
    throw new SvcError('upstream_failed', 'the upstream redirects, which is not followed', {
      code: 'upstream_redirect',
    })
  }
  yield { status: reply.status, headers: selectReplyHeaders(reply.headers).map(([name, value]) => ({ name, value })) }
  const redactor = reply.status >= 400 ? createKeyRedactor(request) : undefined
  for await (const piece of reply.body) yield* cut(redactor?.push(piece) ?? piece)
  if (redactor !== undefined) yield* cut(redactor.end())
}

interface WholeRequest {
  readonly head: Pick<ForwardRequest, 'path' | 'method' | 'headers'>
  readonly body: Uint8Array
}

/** An empty chunk is not the end. */
async function readRequest(requests: AsyncIterable<ForwardRequest>): Promise<WholeRequest> {
  let head: ForwardRequest | undefined
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const request of requests) {
    head ??= request
    size += request.bodyChunk.length
    if (size > MAX_BODY_BYTES) throw new SvcError('too_large', `the body is larger than ${MAX_BODY_BYTES} bytes`)
    pieces.push(request.bodyChunk)
  }
  if (head === undefined) throw new SvcError('invalid_request', 'there is no request to forward')
  return { head, body: Buffer.concat(pieces) }
}

/** Uses the address of the endpoint as it is; an address without a path gets the path of the request. */
function withPath(target: CloudTarget, path: string): CloudTarget {
  if (target.url.pathname !== '/' || !path.startsWith('/')) return target
  const url = new URL(target.url)
  url.pathname = path.split('?', 1)[0] ?? '/'
  return { ...target, url }
}

function* cut(pieces: Uint8Array | readonly Uint8Array[]): Generator<PartialMessage<ForwardReply>> {
  for (const piece of pieces instanceof Uint8Array ? [pieces] : pieces) {
    for (let start = 0; start < piece.length; start += MAX_PIECE_BYTES) {
      yield { bodyChunk: Buffer.from(piece.subarray(start, start + MAX_PIECE_BYTES)) }
    }
  }
}
