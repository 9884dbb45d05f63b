import { SvcError } from '@svc/errors'
import type { Exchange } from '../exchange.ts'
import type { Stage } from '../pipeline.ts'
import { checkUpstreamRoute } from '../upstream/check-route.ts'

/** What the resolved model allows the caller: disabled models serve nobody. Access lists and quotas join here. */
export const accessStage: Stage = (exchange) => {
  if (exchange.model.disabled) {
    throw new SvcError('forbidden', `model "${exchange.model.name}" is disabled`, {
      code: 'model_disabled',
      details: { type: 'model_disabled' },
    })
  }
  checkUpstreamRoute(exchange.model, exchange.call.row)
  refuseUnfit(exchange)
  return undefined
}

/** Usecases whose replies are generated. */
const GENERATING: ReadonlySet<string> = new Set(['chat', 'completion', 'edit'])

/** What a model that only embeds or ranks would write is noise: better no answer than that. */
function refuseUnfit({ model, call }: Exchange): void {
  const { usecase } = call.row
  const embedsOnly = model.llm.embeddings === true || model.llm.reranking === true
  if (usecase === undefined || !GENERATING.has(usecase) || !embedsOnly) return
  if (model.knownUsecases.some((known) => GENERATING.has(known))) return
  throw new SvcError(
    'invalid_request',
    `model "${model.name}" makes embeddings or ranks documents; it does not generate text`,
    { code: 'model_unfit', details: { type: 'invalid_request_error', param: 'model' } },
  )
}
