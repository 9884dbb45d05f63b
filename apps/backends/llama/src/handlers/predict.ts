import type { PartialMessage, Reply } from '@svc/backend-client/proto'
import type { BackendHandlers } from '@svc/backend-kit'
import type { GeneratedPiece } from '../engine/generate.ts'
import type { ModelHost } from '../model-host.ts'
import { toGenerateRequest } from './predict-request.ts'

/** Predict and PredictStream. */
export function createPredictHandlers(host: ModelHost): Pick<BackendHandlers, 'predict' | 'predictStream'> {
  return {
    predict: async (request, { signal }) => {
      const model = host.use(request.ModelIdentity)
      let text = ''
      let last: GeneratedPiece | undefined
      for await (const piece of model.generate(toGenerateRequest(request, model), { signal })) {
        text += piece.text
        last = piece
      }
      return last === undefined ? {} : toReply({ ...last, text })
    },
    predictStream: async function* (request, { signal }) {
      const model = host.use(request.ModelIdentity)
      for await (const piece of model.generate(toGenerateRequest(request, model), { signal })) yield toReply(piece)
    },
  }
}

/** Counters and times are running totals; the last reply of a stream has the final ones. */
function toReply({ text, usage }: GeneratedPiece): PartialMessage<Reply> {
  return {
    message: Buffer.from(text),
    tokens: usage.completionTokens,
    promptTokens: usage.promptTokens,
    timingPromptProcessing: usage.promptMs,
    timingTokenGeneration: usage.generationMs,
  }
}
