import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { ResolvedRequest } from '../pipeline.ts'
import { checkUpstreamRoute } from '../upstream/check-route.ts'

/** Refuses models that are disabled or do not serve the route. Access lists and quotas join here. */
export function checkAccess(request: ResolvedRequest): void {
  const { model, context } = request
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

/** Refuses to generate text with a model that only embeds or ranks, because its output would be noise. */
function refuseUnfit({ model, context }: ResolvedRequest): void {
  const { usecase } = context.route
  const embedsOnly = model.llm.embeddings === true || model.llm.reranking === true
  if (usecase === undefined || !GENERATING.has(usecase) || !embedsOnly) return
  if (model.knownUsecases.some((known) => GENERATING.has(known))) return
  throw new SvcError(
    'invalid_request',
    `model "${model.name}" makes embeddings or ranks documents; it does not generate text`,
    { code: 'model_unfit', details: { type: 'invalid_request_error', param: 'model' } },
  )
}
