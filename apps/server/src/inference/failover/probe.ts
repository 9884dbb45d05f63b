import { SvcError } from '@svc/errors'
import { createService, loadServiceTarget, type PushUpstream, type SecretReader } from '@svc/proxy'
import type { ModelConfig } from '../../models/model-config.ts'
import type { Residency } from '../../models/residency.ts'
import { type CloudModels, isCloudModel } from '../upstream/cloud-models.ts'
import { translatePrediction } from '../upstream/translate-exchange.ts'

/** What looking at targets needs. */
export interface ProbeParts {
  readonly residency: Pick<Residency, 'load'>
  readonly models: CloudModels
  readonly upstream: PushUpstream
  readonly secrets: SecretReader
}

/** Asks whether a model could serve. @throws whatever keeps it from that */
export type Probe = (model: ModelConfig, options: { readonly signal: AbortSignal }) => Promise<void>

/**
 * A model here is loaded; one of another instance stands in the list of that instance; of a model upstream, where there
 * may be no list, one token is asked for.
 */
export function createProbe({ residency, models, upstream, secrets }: ProbeParts): Probe {
  return async (model, { signal }) => {
    if (isCloudModel(model)) {
      const chat = { model: model.name, messages: [{ role: 'user' as const, content: 'Hello' }], max_tokens: 1 }
      const options = { model, signal, stream: false, client: () => undefined, onUsage: () => undefined }
      for await (const _ of translatePrediction(chat, options, { models, upstream })) signal.throwIfAborted()
      return
    }
    if (model.backend.toLowerCase() !== 'service-proxy') return residency.load(model, { signal })
    const { name } = model
    const target = await loadServiceTarget(model.proxy ?? {}, { name, secrets, warn: () => undefined })
    const names = await createService({ target, upstream }).models({ signal })
    if (!names.includes(target.model)) {
      throw new SvcError('unavailable', `the instance has no model "${target.model}"`, { code: 'upstream_unavailable' })
    }
  }
}
