import type { OperationRequest } from './operations/operation.ts'
import type { GenerationRequest } from './request.ts'

/** Every inference request in domain terms; formats map into it, executors read it. */
export type InferenceRequest = GenerationRequest | OperationRequest

/** Whether the reply is generated: it comes as events, and may be streamed. */
export function isGeneration(request: InferenceRequest): request is GenerationRequest {
  return request.kind === 'chat' || request.kind === 'completion'
}
