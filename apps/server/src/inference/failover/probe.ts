import { SvcError } from '@svc/errors'
import type { PushUpstream } from '@svc/http-client'
import type { SecretReader } from '@svc/proxy'
import { createService, loadServiceTarget, type PredictInput, type Service } from '@svc/service-backend'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { livesUpstream } from '../../catalog/serving.ts'
import { hasUsecase } from '../../catalog/usecases.ts'
import type { Residency } from '../../residency/residency.ts'
import type { CloudModels } from '../upstream/cloud-models.ts'
import { createTranslation } from '../upstream/translate.ts'

/** What looking at targets needs. */
export interface ProbeParts {
  readonly residency: Pick<Residency, 'load'>
  readonly models: CloudModels
  readonly upstream: PushUpstream
  readonly secrets: SecretReader
}

/**
 * Asks whether a model could serve.
 *
 * @param options.isLast whether it is asked again from then on if it can
 * @throws whatever keeps it from that
 */
export type Probe = (
  model: ModelConfig,
  options: { readonly signal: AbortSignal; readonly isLast: boolean },
) => Promise<void>

/** What a model is asked that is only looked at. */
const WORD = 'Hello'

/**
 * A model here is loaded; one of another instance stands in the list of that instance, and answers with one token before
 * it is asked again; of a model upstream, where there may be no list, one token is asked for.
 */
export function createProbe({ residency, models, upstream, secrets }: ProbeParts): Probe {
  const translate = createTranslation({ models, upstream })
  return async (model, { signal, isLast }) => {
    if (livesUpstream(model)) {
      const chat = { model: model.name, messages: [{ role: 'user' as const, content: WORD }], max_tokens: 1 }
      const context = { signal, header: () => undefined }
      const steps = translate(chat, { model, stream: false, context, onUsage: () => undefined })
      for await (const _ of steps) signal.throwIfAborted()
      return
    }
    if (model.serving.kind !== 'instance') return residency.load(model, { signal })
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

/** The smallest request that the model serves; of one that neither writes nor makes vectors the list has to do. */
async function tryOut(model: ModelConfig, service: Service, signal: AbortSignal): Promise<void> {
  const question = questionOf(model)
  if (question !== undefined) {
    await service.predict({ ...question, temperature: 0, options: { max_tokens: 1 } }, { signal })
  } else if (hasUsecase(model, 'embeddings')) {
    await service.embed(WORD, { signal })
  }
}

function questionOf(model: ModelConfig): Pick<PredictInput, 'messages' | 'prompt'> | undefined {
  if (hasUsecase(model, 'chat')) return { messages: [{ role: 'user', content: WORD }] }
  return hasUsecase(model, 'completion') ? { prompt: WORD } : undefined
}
