import type { ModelConfig } from '../../catalog/model-config.ts'
import type { LoadCooldown } from '../../residency/cooldown.ts'

const MAX_MODELS = 10_000

/** Models whose last load on a worker failed, as far as this server's requests have met it. */
export interface FailedModels {
  /** @throws {SvcError} `model_load_cooldown` for a model that failed as it is now */
  check(model: ModelConfig): void
  failed(model: ModelConfig): void
  succeeded(model: ModelConfig): void
}

/** Keeps the cooldown of models. A changed model may be tried at once. */
export function createFailedModels(cooldown: LoadCooldown, revisionOf: (model: ModelConfig) => string): FailedModels {
  const revisions = new Map<string, string>()
  const succeeded = ({ name }: ModelConfig): void => {
    cooldown.succeeded(name)
    revisions.delete(name)
  }
  return {
    check(model) {
      if (revisions.get(model.name) === revisionOf(model)) cooldown.check(model.name)
      else succeeded(model)
    },
    failed(model) {
      cooldown.failed(model.name)
      revisions.delete(model.name)
      revisions.set(model.name, revisionOf(model))
      const [oldest] = revisions.keys()
      if (revisions.size > MAX_MODELS && oldest !== undefined) revisions.delete(oldest)
    },
    succeeded,
  }
}
