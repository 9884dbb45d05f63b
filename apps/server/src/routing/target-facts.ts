import type { TargetFacts } from '@svc/router/signals'
import { listCapabilities, listInputModalities } from '../catalog/capabilities.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { leavesMachine, listFailoverTargets } from '../catalog/serving.ts'

/** The context of a model, prompt and answer together; undefined where neither its file nor its weights say it. */
export function findContextSize({ contextSize = 0, gguf, raw }: ModelConfig): number | undefined {
  // The default of the server is not a fact about a model whose weights are not known.
  const isKnown = gguf?.contextLength !== undefined || typeof raw.context_size === 'number'
  return isKnown && contextSize > 0 ? contextSize : undefined
}

/** What the files of a model say it takes. A failover group takes what its first target takes. */
export function describeTarget(model: ModelConfig): Omit<TargetFacts, 'isHealthy'> {
  const [target] = listFailoverTargets(model)
  if (target !== undefined) return describeTarget(target.model)
  const inputs = listInputModalities(model)
  // What a model on another server takes is known only as far as its file says it.
  const isOpen = leavesMachine(model) && model.knownInputModalities.length === 0
  const takes = (isListed: boolean): boolean | undefined => (isListed ? true : isOpen ? undefined : false)
  return {
    contextSize: findContextSize(model),
    takesImages: takes(inputs.includes('image')),
    takesAudio: takes(inputs.includes('audio')),
    // A chat template may write tools without a file that says so.
    takesTools: listCapabilities(model).includes('tools') ? true : undefined,
  }
}
