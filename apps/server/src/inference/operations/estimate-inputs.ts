import { estimateText } from '../core/estimate-tokens.ts'
import type { EmbedInput, OperationKind, OperationRequest } from './operation.ts'

/** Estimates the tokens that a backend reads for an operation whose tokens are counted; 0 for the others. */
export function estimateInputs(request: OperationRequest<OperationKind>): number {
  switch (request.kind) {
    case 'embed':
      return request.inputs.reduce((sum, input) => sum + estimateInput(input), 0)
    case 'rerank':
      return [request.query, ...request.documents].reduce((sum, text) => sum + estimateInput(text), 0)
    default:
      return 0
  }
}

function estimateInput(input: EmbedInput): number {
  if (typeof input === 'string') return estimateText(Buffer.byteLength(input))
  if (!('messages' in input)) return input.length
  return estimateInput(JSON.stringify(input.messages))
}
