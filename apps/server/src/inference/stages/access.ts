import type { Principal } from '@svc/auth'
import { checkModelAccess } from '@svc/auth/access'
import type { Quotas } from '@svc/auth/quotas'
import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { estimateTokens } from '../core/estimate-tokens.ts'
import type { ResolvedRequest, Stages } from '../core/pipeline.ts'
import { checkUpstreamRoute } from '../serving/upstream/check-route.ts'

/** Uses for which no tokens are counted: a quota of requests holds for them. */
const WITHOUT_TOKENS: ReadonlySet<string> = new Set([
  ...['stores', 'image', 'video', 'detection', 'transcript', 'tts', 'sound_generation', 'vad'],
  ...['diarization', 'sound_classification', 'speaker_recognition', 'realtime_audio'],
])

/**
 * Creates the stage that refuses models which the caller may not use, are disabled, or do not serve the route. It then
 * reserves the request under the quotas of its caller. When the request ends, it settles the figures of the ledger.
 */
export function createAccess(quotas: Pick<Quotas, 'reserve'>): Stages['access'] {
  return ({ request, ledger }, cleanup) => {
    checkModel(request)
    const { context, model, through, document } = request
    const { route } = context
    const principal = model.serving.kind === 'agent' ? withoutSharedRules(context.principal) : context.principal
    if (principal.quotas.length === 0) return undefined
    const tokens = isWithoutTokens(route.usecase)
      ? 0
      : estimateTokens(document, { isGenerated: isGenerating(route.usecase) })
    const options = { signal: context.abort }
    const reserved = quotas.reserve(principal, { model: model.name, through, tokens }, options)
    return Promise.resolve(reserved).then((reservation) => {
      cleanup.add(() => reservation.settle(ledger.charge))
      ledger.reservation = { renew: (further) => reservation.renew(further, options) }
    })
  }
}

/**
 * A request to an agent asks the agent's model in the name of the same caller. That request counts under the rules for
 * all models, with its tokens.
 */
function withoutSharedRules(principal: Principal): Principal {
  return { ...principal, quotas: principal.quotas.filter(({ model }) => model !== '') }
}

function checkModel(request: ResolvedRequest): void {
  const { model, through, context } = request
  // Stores of the server are not models: all callers share them, and no list of models holds for them.
  if (model.serving.kind === 'store') return
  checkModelAccess(context.principal, model.name, through)
  context.useModel(model.name, through)
  refuseDisabled(model)
  checkUpstreamRoute(model, context.route)
  refuseUnfit(request)
}

/** Refuses a disabled model. @throws {SvcError} `model_disabled` */
export function refuseDisabled({ name, disabled }: ModelConfig): void {
  if (!disabled) return
  throw new SvcError('forbidden', `model "${name}" is disabled`, {
    code: 'model_disabled',
    details: { type: 'model_disabled' },
  })
}

/** Usecases whose replies are generated. */
const GENERATING: ReadonlySet<string> = new Set(['chat', 'completion', 'edit'])

/** Whether no tokens are counted for a use. */
export const isWithoutTokens = (usecase: string | undefined): boolean => WITHOUT_TOKENS.has(usecase ?? '')

export const isGenerating = (usecase: string | undefined): boolean => usecase !== undefined && GENERATING.has(usecase)

/** Refuses to generate text with a model that only embeds or ranks, because its output would be noise. */
function refuseUnfit({ model, context }: ResolvedRequest): void {
  const embedsOnly = model.llm.embeddings === true || model.llm.reranking === true
  if (!isGenerating(context.route.usecase) || !embedsOnly) return
  if (model.knownUsecases.some((known) => GENERATING.has(known))) return
  throw new SvcError(
    'invalid_request',
    `model "${model.name}" makes embeddings or ranks documents; it does not generate text`,
    { code: 'model_unfit', details: { type: 'invalid_request_error', param: 'model' } },
  )
}
