import {
  ANSWER_TRAILERS,
  type ChatDelta,
  type PartialMessage,
  type PredictOptions,
  type Reply,
} from '@svc/backend-client/proto'
import type { BackendHandlers, HandlerContext } from '@svc/backend-kit'
import type { GeneratedPiece, GenerateRequest } from '../engine/generate.ts'
import type { EngineModel } from '../engine/model.ts'
import type { ModelHost } from '../model-host.ts'
import { type LogprobsModel, toLogprobs } from './logprobs.ts'
import { toGenerateRequest, toLaneOptions } from './predict-request.ts'
import { createReplyLanes, type ReplyLanes } from './reply-lanes.ts'

/** Predict and PredictStream. */
export function createPredictHandlers(host: ModelHost): Pick<BackendHandlers, 'predict' | 'predictStream'> {
  return {
    predict: async (request, context) => {
      const model = host.use(request.ModelIdentity)
      const { generation, lanes } = begin(request, model)
      const pieces: GeneratedPiece[] = []
      for await (const piece of model.generate(generation, context)) pieces.push(piece)
      const last = pieces.at(-1)
      if (last === undefined) return {}
      sendFacts(last, request, context)
      const text = pieces.map((piece) => piece.text).join('')
      const whole = { ...last, text, choices: pieces.flatMap((piece) => piece.choices) }
      return { ...toReply(whole, model), ...toDeltas(lanes && [...lanes.push(text), ...lanes.end()]) }
    },
    predictStream: async function* (request, context) {
      const model = host.use(request.ModelIdentity)
      const { generation, lanes } = begin(request, model)
      let last: PartialMessage<Reply> = {}
      for await (const piece of model.generate(generation, context)) {
        sendFacts(piece, request, context)
        last = toReply(piece, model)
        yield { ...last, ...toDeltas(lanes?.push(piece.text)) }
      }
      const rest = lanes?.end() ?? []
      if (rest.length > 0) yield { ...last, message: Buffer.of(), logprobs: Buffer.of(), chatDeltas: rest }
    },
  }
}

function begin(
  request: PredictOptions,
  model: EngineModel,
): { readonly generation: GenerateRequest; readonly lanes: ReplyLanes | undefined } {
  const generation = toGenerateRequest(request, model)
  const options = toLaneOptions(request, model, generation.prompt)
  return { generation, lanes: options && createReplyLanes(options) }
}

/** Sends the stop text that ended the answer, and the tokens of the prompt that the slot remembered. */
function sendFacts({ stop, usage }: GeneratedPiece, { StopPrompts }: PredictOptions, context: HandlerContext): void {
  if (usage.reusedTokens > 0) context.addTrailer(ANSWER_TRAILERS.reusedTokens, String(usage.reusedTokens))
  if (stop !== undefined) context.addTrailer(ANSWER_TRAILERS.stop, String(StopPrompts.indexOf(stop)))
}

/**
 * A reply whose text is still undecided has an empty delta, so that a host does not take the raw text for the answer.
 */
function toDeltas(deltas: PartialMessage<ChatDelta>[] | undefined): PartialMessage<Reply> {
  if (deltas === undefined) return {}
  return { chatDeltas: deltas.length > 0 ? deltas : [{}] }
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
