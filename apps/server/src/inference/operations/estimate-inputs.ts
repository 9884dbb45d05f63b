import type { EmbedInput, OperationKind, OperationRequest } from './operation.ts'

const BYTES_PER_TOKEN = 4

/** Roughly how many tokens a backend reads for an operation whose tokens are counted; 0 for the others. */
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
  if (typeof input === 'string') return Math.ceil(Buffer.byteLength(input) / BYTES_PER_TOKEN)
  if (!('messages' in input)) return input.length
  return estimateInput(JSON.stringify(input.messages))
}
