import { checkModelAccess } from '@svc/auth/access'
import type { FurtherUse, Quotas, QuotaUse } from '@svc/auth/quotas'
import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { type EndUserNaming, PLAIN_NAMES, readAttribution } from '../../spend/attribution.ts'
import { limitHeaders, softLimitHeader } from '../../spend/limit-headers.ts'
import type { ExpectedUse, SpendMeter } from '../../spend/spend-meter.ts'
import { estimateTokens, OPEN_ANSWER } from '../core/estimate-tokens.ts'
import type { TurnReservation } from '../core/ledger.ts'
import type { AdmittedRequest, ResolvedRequest, Stages } from '../core/pipeline.ts'
import type { RequestDocument } from '../documents/request-document.ts'
import { checkUpstreamRoute } from '../serving/upstream/check-route.ts'

/** Uses for which no tokens are counted: a quota of requests holds for them. */
const WITHOUT_TOKENS: ReadonlySet<string> = new Set([
  ...['stores', 'image', 'video', 'detection', 'transcript', 'tts', 'sound_generation', 'vad'],
  ...['diarization', 'sound_classification', 'speaker_recognition', 'realtime_audio'],
])

/** Options of {@link createAccess}. */
export interface AccessOptions {
  /** Knows what requests cost, for budgets. @default nothing has a price */
  readonly meter?: SpendMeter | undefined
  /** How end users are stored. @default by their names */
  readonly endUsers?: Pick<EndUserNaming, 'name'> | undefined
  /** @default the clock of the machine */
  readonly now?: (() => number) | undefined
}

/**
 * Creates the stage that refuses models which the caller may not use, are disabled, or do not serve the route. It then
 * reserves the request under the quotas of its caller and under limits. When the request ends, it settles the figures of
 * the ledger.
 */
export function createAccess(
  quotas: Pick<Quotas, 'reserve' | 'hasLimits'>,
  { meter, endUsers = PLAIN_NAMES, now = Date.now }: AccessOptions = {},
): Stages['access'] {
  return (admitted, cleanup) => {
    const { request, ledger } = admitted
    checkModel(request)
    const { context } = request
    ledger.attribution = readAttribution(context, request.document, endUsers)
    if (context.principal.quotas.length === 0 && !quotas.hasLimits) return undefined
    const options = { signal: context.abort }
    const reserved = quotas.reserve(context.principal, toUse(admitted, meter), options)
    return Promise.resolve(reserved).then((reservation) => {
      cleanup.add(() => {
        const cost = findCharge(admitted, meter)
        reservation.settle(ledger.charge, cost?.micros, cost?.currency)
      })
      ledger.reservation = {
        renew: (further) => reservation.renew(addCost(further, admitted, meter), options),
      }
      const { figures, passed = [] } = reservation
      if (figures !== undefined) Object.assign(ledger.headers, limitHeaders(figures, context.route.family, now()))
      if (passed.length > 0) ledger.headers['x-svc-soft-limit'] = softLimitHeader(passed)
    })
  }
}

/**
 * What a request asks for. A request to an agent asks the agent's model in the name of the same caller: that request
 * counts under the rules for all models, with its tokens.
 */
function toUse({ request, ledger }: AdmittedRequest, meter: SpendMeter | undefined): QuotaUse {
  const { context, model, through, document } = request
  const { usecase } = context.route
  const { prompt, answer } = isWithoutTokens(usecase)
    ? { prompt: 0, answer: 0 }
    : estimateTokens(document, { isGenerated: isGenerating(usecase) })
  return {
    model: model.name,
    through,
    isOuter: model.serving.kind === 'agent',
    tokens: prompt + answer,
    endUser: () => ledger.attribution?.endUser,
    cost: () =>
      meter?.estimate(model, { promptTokens: prompt, completionTokens: answer, media: countImages(usecase, document) }),
  }
}

/** Most images that one request makes in the formats. */
const MAX_IMAGES = 10

/** Images that a request asks for. */
function countImages(usecase: string | undefined, document: RequestDocument): ExpectedUse['media'] {
  if (usecase !== 'image') return undefined
  const count = document.texts().root.get('n')
  const images = count?.kind === 'number' ? Number(count.toValue()) : 1
  return { images: Number.isFinite(images) ? Math.min(Math.max(1, Math.ceil(images)), MAX_IMAGES) : 1 }
}

/** What the request has cost, the calls of failed targets included. */
function findCharge({ request: { context }, ledger }: AdmittedRequest, meter: SpendMeter | undefined) {
  const { chargedUsage, recordedWhen: recorded } = ledger
  return meter?.charge(chargedUsage, { recorded, startedAt: context.startedAt })
}

/** Adds what the request has cost and its next call may cost. */
function addCost(
  further: Parameters<TurnReservation['renew']>[0],
  { request: { model, context }, ledger }: AdmittedRequest,
  meter: SpendMeter | undefined,
): FurtherUse {
  if (meter === undefined) return further
  const answer = Math.min(further.next, OPEN_ANSWER)
  const next = meter.estimate(model, { promptTokens: further.next - answer, completionTokens: answer })
  const spent = meter.charge(ledger.usageSoFar, { recorded: undefined, startedAt: context.startedAt })
  const costMicros = (spent?.micros ?? 0) + (next?.micros ?? 0)
  return { ...further, costMicros, currency: next?.currency ?? spent?.currency }
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
