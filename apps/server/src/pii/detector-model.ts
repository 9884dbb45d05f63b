import type { ModelConfig } from '../catalog/model-config.ts'
import { hasUsecase } from '../catalog/usecases.ts'

/**
 * Kind of a model that finds private text: with patterns in this process, or with a backend that recognises entities.
 */
export type DetectorKind = 'pattern' | 'ner'

/**
 * Gives the kind of a detector model (§2.11); undefined for other models. Only the backend knows whether the outputs of
 * its weights are pooled for classifying tokens: a model with other outputs fails when asked, and so does the request.
 * A recogniser may have patterns too.
 */
export function findDetectorKind(model: ModelConfig): DetectorKind | undefined {
  if (model.piiDetection === undefined) return undefined
  if (model.serving.kind === 'detector') return 'pattern'
  return hasUsecase(model, 'token_classify') ? 'ner' : undefined
}
