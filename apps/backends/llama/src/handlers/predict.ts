import type { PartialMessage, Reply } from '@svc/backend-client/proto'
import type { BackendHandlers } from '@svc/backend-kit'
import type { GeneratedPiece } from '../engine/generate.ts'
import type { ModelHost } from '../model-host.ts'
import { type LogprobsModel, toLogprobs } from './logprobs.ts'
import { toGenerateRequest } from './predict-request.ts'

/** Predict and PredictStream. */
export function createPredictHandlers(host: ModelHost): Pick<BackendHandlers, 'predict' | 'predictStream'> {
  return {
    predict: async (request, { signal }) => {
      const model = host.use(request.ModelIdentity)
      const pieces: GeneratedPiece[] = []
      for await (const piece of model.generate(toGenerateRequest(request, model), { signal })) pieces.push(piece)
      const last = pieces.at(-1)
      if (last === undefined) return {}
      const text = pieces.map((piece) => piece.text).join('')
      return toReply({ ...last, text, choices: pieces.flatMap((piece) => piece.choices) }, model)
    },
    predictStream: async function* (request, { signal }) {
      const model = host.use(request.ModelIdentity)
      for await (const piece of model.generate(toGenerateRequest(request, model), { signal })) {
        yield toReply(piece, model)
      }
    },
  }
}

/** Counters and times are running totals; the last reply of a stream has the final ones. */
function toReply({ text, choices, usage }: GeneratedPiece, model: LogprobsModel): PartialMessage<Reply> {
  return {
    message: Buffer.from(text),
    tokens: usage.completionTokens,
    promptTokens: usage.promptTokens,
    timingPromptProcessing: usage.promptMs,
    timingTokenGeneration: usage.generationMs,
    ...(choices.length > 0 && { logprobs: Buffer.from(JSON.stringify(toLogprobs(choices, model))) }),
  }
}
