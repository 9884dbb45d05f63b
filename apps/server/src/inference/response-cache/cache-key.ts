import { createHash } from 'node:crypto'
import type { Principal } from '@svc/auth'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { listFailoverTargets } from '../../catalog/serving.ts'
import type { RequestContext } from '../core/ports.ts'
import type { GenerationRequest } from '../core/request.ts'
import type { UpstreamChat } from '../serving/upstream/translate.ts'
import { feedValue, NoDigest } from './feed-value.ts'

/** Headers of a client that reach an upstream and may change its answer. */
const UPSTREAM_HEADERS = ['anthropic-version', 'anthropic-beta'] as const

/** What decides over a reply. */
export interface KeyedRequest {
  readonly request: GenerationRequest
  readonly model: ModelConfig
  readonly upstreamChat: UpstreamChat | undefined
  readonly context: Pick<RequestContext, 'principal' | 'header'>
}

/**
 * Gives the key of a request: a SHA-256 of everything that decides over its reply, and of its caller unless the model
 * shares its replies. Whether the reply is streamed, and for which end user, does not count.
 *
 * @returns undefined for a request of which no exact key can be made
 */
export function findCacheKey({ request, model, upstreamChat, context }: KeyedRequest): string | undefined {
  if (namesMovingMedia(request)) return undefined
  const { stream: _, warnings: _warnings, ...rest } = request
  const { principal } = context
  const parts = [
    toScope(principal, model),
    digestModel(model),
    rest,
    upstreamChat === undefined ? null : toKeyed(upstreamChat),
    upstreamChat === undefined ? null : UPSTREAM_HEADERS.map((name) => context.header(name) ?? null),
  ]
  const hash = createHash('sha256')
  try {
    feedValue(hash, parts)
  } catch (error) {
    if (error instanceof NoDigest) return undefined
    throw error
  }
  return hash.digest('base64')
}

/** The callers who get each other's replies. */
function toScope({ kind, id }: Principal, { responseCache }: ModelConfig): readonly string[] {
  return responseCache?.shared === true ? ['shared'] : [kind, id]
}

/** Whether the request names media at addresses that only the model's server reads: their content may change. */
function namesMovingMedia(request: GenerationRequest): boolean {
  if (request.kind !== 'chat' || request.media !== undefined) return false
  return request.messages.some(({ attachments = [] }) =>
    attachments.some(({ source }) => 'url' in source && !/^data:/i.test(source.url)),
  )
}

/** The parts of a request to an upstream that decide over its reply. */
function toKeyed({ chat, source }: UpstreamChat): unknown {
  const { stream: _, stream_options: _options, user: _user, ...rest } = chat
  if (source === undefined) return [rest]
  const { stream: _stream, metadata: _metadata, ...own } = source
  return [rest, own]
}

const DIGESTS = new WeakMap<ModelConfig, string>()

/** A digest of the file of a model and of those of its failover targets. An edited file makes another model. */
function digestModel(model: ModelConfig): string {
  const known = DIGESTS.get(model)
  if (known !== undefined) return known
  const made = createHash('sha256').update(describe(model)).digest('base64')
  DIGESTS.set(model, made)
  return made
}

function describe(model: ModelConfig): string {
  const { name, file, folder, source, modifiedAt, raw } = model
  const targets = listFailoverTargets(model).map((target) => describe(target.model))
  return JSON.stringify([name, file, folder, source, modifiedAt, raw, targets])
}
