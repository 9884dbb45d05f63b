import type { ModelConfig } from '../catalog/model-config.ts'
import { hasUsecase } from '../catalog/usecases.ts'

/** How a model finds private text: by patterns in this process, or by a backend that recognises entities. */
export type DetectorKind = 'pattern' | 'ner'

/**
 * What kind of detector a model is (§2.11); undefined for one that is none. Whether the outputs of its weights are pooled
 * for classifying tokens is known to its backend alone: one that has others fails when it is asked, and so does the
 * request. A recogniser may have patterns beside.
 */
export function detectorKind(model: ModelConfig): DetectorKind | undefined {
  if (model.piiDetection === undefined) return undefined
  if (model.serving.kind === 'detector') return 'pattern'
  return hasUsecase(model, 'token_classify') ? 'ner' : undefined
}
