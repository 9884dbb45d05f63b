import { parseJson, spliceCooperatively } from '@svc/json'
import type { ModelConfig } from '../catalog/model-config.ts'
import { leavesMachine } from '../catalog/serving.ts'
import type { RequestContext } from '../inference/core/ports.ts'
import { hasWork, unitePolicies } from '../pii/consumer-policy.ts'
import type { RequestFilter } from '../pii/request-filter.ts'

/** Options of {@link filterTexts}. */
export interface FilterTextsOptions {
  readonly filter: RequestFilter
  /** The model that reads the texts. */
  readonly model: ModelConfig
  /** The routers that ask it. */
  readonly routers: readonly ModelConfig[]
  readonly context: RequestContext
}

/**
 * Texts as a model may see them: before texts leave this machine they pass the PII policy of the model that reads them,
 * united with the policies of the routers that ask it.
 *
 * @throws {SvcError} the refusal of the filter; nothing may be sent then
 */
export async function filterTexts(
  texts: readonly string[],
  { filter, model, routers, context }: FilterTextsOptions,
): Promise<readonly string[]> {
  if (!leavesMachine(model)) return texts
  const policy = unitePolicies(filter.findPolicy(model), routers.map(filter.findPolicy))
  if (!hasWork(policy)) return texts
  // The filter reads bodies of requests. This one has the texts and nothing else.
  const document = parseJson(new TextEncoder().encode(JSON.stringify({ input: texts })))
  const { splices } = await filter.filterBody(
    {
      document,
      format: 'embeddings',
      model,
      correlationId: context.requestId,
      userId: context.principal.id,
      abort: context.abort,
      signal: context.signal,
    },
    { policy, origin: 'middleware' },
  )
  if (splices.length === 0) return texts
  const { root } = await spliceCooperatively(document, splices, {}, context)
  const input = root.get('input')
  return input?.kind === 'array' ? [...input.items()].map((item) => (item.kind === 'string' ? item.text() : '')) : []
}
