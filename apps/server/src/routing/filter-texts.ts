import { applySplices, parseJson } from '@svc/json'
import type { ModelConfig } from '../catalog/model-config.ts'
import { leavesMachine } from '../catalog/serving.ts'
import type { RequestContext } from '../inference/ports.ts'
import type { RequestFilter } from '../pii/request-filter.ts'

/**
 * Texts as a model may see them: those for a model elsewhere pass its own PII policy before they leave this machine.
 *
 * @throws {SvcError} what the filter refuses; nothing may be sent then
 */
export async function filterTexts(
  texts: readonly string[],
  { filter, model, context }: { filter: RequestFilter; model: ModelConfig; context: RequestContext },
): Promise<readonly string[]> {
  if (!leavesMachine(model) || !filter.watches(model, { isSocket: false })) return texts
  // The filter reads bodies of requests. This one has the texts and nothing else.
  const document = parseJson(new TextEncoder().encode(JSON.stringify({ input: texts })))
  const { splices } = await filter.filter({
    document,
    format: 'embeddings',
    model,
    isSocket: false,
    correlationId: context.requestId,
    userId: context.principal.id,
    abort: context.abort,
    signal: context.signal,
  })
  if (splices.length === 0) return texts
  const input = parseJson(applySplices(document.bytes, splices)).root.get('input')
  return input?.kind === 'array' ? [...input.items()].map((item) => (item.kind === 'string' ? item.text() : '')) : []
}
