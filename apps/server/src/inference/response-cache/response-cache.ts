import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { StepBatches, Usage } from '../core/events.ts'
import type { ModelRequest } from '../core/pipeline.ts'
import type { RequestContext } from '../core/ports.ts'
import type { GenerationRequest } from '../core/request.ts'
import { findCacheKey } from './cache-key.ts'
import { recordReply, replayReply } from './record-reply.ts'
import type { KeptReply, ReplyStore } from './reply-store.ts'

/** The header that tells clients what the cache did, and in which they say what it may do. */
export const CACHE_HEADER = 'x-svc-cache'

const DEFAULT_TTL_SECONDS = 3600

/** Routes whose replies are kept, if their model keeps any. */
const ROUTE_USES: ReadonlySet<string> = new Set(['chat', 'completion', 'edit'])

/** What became of a request: answered from the cache, asked and perhaps kept, or passed by. */
export type CacheOutcome = 'hit' | 'miss' | 'skip'

/** A request for a generated reply, once every stage before the model has let it pass. */
export interface CacheableRequest {
  readonly asked: ModelRequest
  readonly request: GenerationRequest
  /** Whether the server may run tools for it. */
  readonly runsTools: boolean
  /** Asks the model. */
  readonly predict: () => StepBatches
}

/** Keeps replies of models whose file says so. */
export interface ResponseCache {
  /** Gives the steps of a kept reply, or those of the model. @throws {SvcError} `invalid_request` for a wrong header */
  predict(request: CacheableRequest): StepBatches
}

/** Options of {@link createResponseCache}. */
export interface ResponseCacheOptions {
  readonly store: Pick<ReplyStore, 'find' | 'keep'>
  readonly onOutcome?: ((model: string, outcome: CacheOutcome) => void) | undefined
}

/** Whether the file of a model has its replies kept. */
export const keepsReplies = ({ responseCache }: ModelConfig): boolean => responseCache?.enabled === true

/** Creates the cache. */
export function createResponseCache({ store, onOutcome }: ResponseCacheOptions): ResponseCache {
  return {
    predict(cacheable) {
      const { asked, request, predict } = cacheable
      const { ledger } = asked
      const { context, model } = asked.request
      const tell = (outcome: CacheOutcome): void => {
        ledger.headers[CACHE_HEADER] = outcome
        onOutcome?.(model.name, outcome)
      }
      const wish = readWish(context)
      const key = wish === 'off' ? undefined : findKey(cacheable)
      const kept = key === undefined || wish === 'refresh' ? undefined : store.find(key)
      if (kept !== undefined) {
        tell('hit')
        ledger.replayed = findUsage(kept)
        if (model.serving.kind === 'failover') ledger.showServed(kept.served)
        return replayReply(kept, context.signal)
      }
      tell(key === undefined ? 'skip' : 'miss')
      if (key === undefined) return predict()
      const ttlMs = (model.responseCache?.ttlSeconds ?? DEFAULT_TTL_SECONDS) * 1000
      return recordReply(predict(), request, (batches) =>
        store.keep(key, { batches, served: ledger.servedModel.name }, { model: model.name, ttlMs }),
      )
    },
  }
}

/** Reads what the client allows. @throws {SvcError} `invalid_request` for another word */
function readWish(context: Pick<RequestContext, 'header'>): 'off' | 'refresh' | undefined {
  const given = context.header(CACHE_HEADER)?.trim().toLowerCase()
  if (given === undefined || given === '') return undefined
  if (given === 'off' || given === 'refresh') return given
  throw new SvcError('invalid_request', `${CACHE_HEADER}: must be off or refresh`, {
    code: 'invalid_cache_header',
    details: { type: 'invalid_request_error', param: CACHE_HEADER },
  })
}

/** Gives the key of a request whose reply may be kept. */
function findKey({ asked, request, runsTools }: CacheableRequest): string | undefined {
  const { filtered, ledger, parsed } = asked
  const { context, model } = asked.request
  if (context.isInside === true || !ROUTE_USES.has(context.route.usecase ?? '')) return undefined
  if (runsTools || model.serving.kind === 'agent' || context.route.path === '/v1/realtime') return undefined
  // Two private texts may look the same once they are masked.
  if (ledger.restores || filtered.splices.length > 0) return undefined
  if (request.kind === 'completion' && (request.generates === false || request.prompts.length === 0)) return undefined
  return findCacheKey({ request, model, upstreamChat: parsed?.upstreamChat, context })
}

function findUsage({ batches }: KeptReply): Usage | undefined {
  for (const step of batches.flat()) if (step.type === 'usage') return step.usage
  return undefined
}
