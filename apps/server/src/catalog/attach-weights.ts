import type { ModelConfig } from './model-config.ts'
import { isGgufName } from './to-model-config.ts'
import type { Weights, WeightsInspector } from './weights.ts'

/** Adds facts of the weights to models. */
export interface WeightsAttacher {
  /**
   * Gives the model with its `gguf`, `weightsError` or `weightsMissing`; the same object while neither model nor
   * weights have changed.
   */
  attach(model: ModelConfig): ModelConfig
}

/** Whether a backend of a model file reads GGUF weights. Without a name the server chooses one that may. */
export function readsGguf(backend: string): boolean {
  return /^(?:|go-llama|llama|(?:[a-z0-9-]+-)?llama-cpp(?:-[a-z0-9-]+)?)$/.test(backend.toLowerCase())
}

/** The reason why our engine does not load weights that another engine may load. */
export const NO_ARCHITECTURE = 'does not name its architecture (general.architecture), which this backend needs'

/** Creates an attacher with the inspector of the models' folder. */
export function createWeightsAttacher(inspector: WeightsInspector): WeightsAttacher {
  const attached = new WeakMap<ModelConfig, { readonly weights: Weights | undefined; readonly model: ModelConfig }>()
  return {
    attach(model) {
      const path = findWeightsPath(model)
      if (path === undefined) return model
      const weights = inspector.inspect(path)
      const before = attached.get(model)
      if (before !== undefined && before.weights === weights) return before.model
      const now = { weights, model: withWeights(model, path, weights) }
      attached.set(model, now)
      return now.model
    },
  }
}

/** Gives the path of a model's GGUF file inside its folder; undefined when it has none to inspect. */
function findWeightsPath(model: ModelConfig): string | undefined {
  const path = model.parameters.model
  if (path === undefined || !isGgufName(path) || path.includes('://')) return undefined
  return readsGguf(model.backend) && model.artifacts.length === 0 ? path : undefined
}

function withWeights(model: ModelConfig, path: string, weights: Weights | undefined): ModelConfig {
  if (weights === undefined) return { ...model, weightsMissing: true }
  if (!weights.usable) return { ...model, weightsError: `file "${path}" ${weights.fault}` }
  if (weights.summary.architecture === '') return { ...model, weightsError: `file "${path}" ${NO_ARCHITECTURE}` }
  return { ...model, gguf: weights.summary }
}

/** Describes the fault of a model's weights; undefined when none is known. */
export function describeWeights({ parameters, weightsError, weightsMissing }: ModelConfig): string | undefined {
  return weightsMissing === true ? `file "${parameters.model}" is not in the models folder` : weightsError
}
