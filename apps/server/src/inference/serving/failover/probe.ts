import { SvcError } from '@svc/errors'
import type { PushUpstream } from '@svc/http-client'
import type { SecretReader } from '@svc/proxy'
import { createService, loadServiceTarget, type PredictInput, type Service } from '@svc/service-backend'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import { livesUpstream } from '../../../catalog/serving.ts'
import { hasUsecase } from '../../../catalog/usecases.ts'
import type { Placement } from '../../../placement/placement.ts'
import type { CloudModels } from '../upstream/cloud-models.ts'
import { createTranslation } from '../upstream/translate.ts'

/** Options of {@link createProbe}. */
export interface ProbeParts {
  readonly placement: Pick<Placement, 'load'>
  readonly models: CloudModels
  readonly upstream: PushUpstream
  readonly secrets: SecretReader
}

/**
 * Checks whether a model could serve.
 *
 * @param options.isLast whether a success sends requests to the target again
 * @throws the failure that keeps it from serving
 */
export type Probe = (
  model: ModelConfig,
  options: { readonly signal: AbortSignal; readonly isLast: boolean },
) => Promise<void>

/** Input of a probe. */
const WORD = 'Hello'

/**
 * Probes a target by its serving. A local model is loaded. A model of another instance is looked up in that instance's
 * list, and must answer one token before requests go to it again. A model upstream is asked for one token, because an
 * upstream may have no list.
 */
export function createProbe({ placement, models, upstream, secrets }: ProbeParts): Probe {
  const translate = createTranslation({ models, upstream })
  return async (model, { signal, isLast }) => {
    if (livesUpstream(model)) {
      const chat = { model: model.name, messages: [{ role: 'user' as const, content: WORD }], max_tokens: 1 }
      const context = { requestId: '', signal, header: () => undefined }
      const steps = translate({ chat }, { model, stream: false, context, onUsage: () => undefined })
      for await (const _ of steps) signal.throwIfAborted()
      return
    }
    if (model.serving.kind !== 'instance') return placement.load(model, { signal })
    const { name } = model
    const target = await loadServiceTarget(model.proxy ?? {}, { name, secrets, warn: () => undefined })
    const service = createService({ target, upstream })
    const names = await service.models({ signal })
    if (!names.includes(target.model)) {
      throw new SvcError('unavailable', `the instance has no model "${target.model}"`, { code: 'upstream_unavailable' })
    }
    if (isLast) await tryOut(model, service, signal)
  }
}

/**
 * Sends the smallest request that the model serves. The list suffices for models that neither write nor make vectors.
 */
async function tryOut(model: ModelConfig, service: Service, signal: AbortSignal): Promise<void> {
  const question = toQuestion(model)
  if (question !== undefined) {
    await service.predict({ ...question, temperature: 0, options: { max_tokens: 1 } }, { signal })
  } else if (hasUsecase(model, 'embeddings')) {
    await service.embed(WORD, { signal })
  }
}

function toQuestion(model: ModelConfig): Pick<PredictInput, 'messages' | 'prompt'> | undefined {
  if (hasUsecase(model, 'chat')) return { messages: [{ role: 'user', content: WORD }] }
  return hasUsecase(model, 'completion') ? { prompt: WORD } : undefined
}
