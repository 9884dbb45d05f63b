import { ANSWER_TRAILERS, type PartialMessage, type Reply, type ToolCallDelta } from '@svc/backend-client/proto'
import { type Prediction, planPrediction } from '../prediction.ts'
import type { BackendAnswers, MockContext } from '../state.ts'
import { hashText, splitWords } from '../words.ts'

type ReplyPart = PartialMessage<Reply>

/** Predict and PredictStream. */
export const predictAnswers = {
  predict(request, context) {
    const prediction = planPrediction(request, context.behaviour)
    remember(prediction, context)
    return wholeReply(prediction)
  },
  async *predictStream(request, context) {
    const prediction = planPrediction(request, context.behaviour)
    remember(prediction, context)
    yield* replies(prediction)
  },
} satisfies Partial<BackendAnswers>

function remember({ promptTokens, completionTokens, stop }: Prediction, { mock, addTrailer }: MockContext): void {
  if (stop !== undefined) addTrailer(ANSWER_TRAILERS.stop, String(stop))
  mock.last = { promptTokens, tokens: completionTokens }
  mock.slots.set(0, promptTokens + completionTokens)
}

function wholeReply(prediction: Prediction): ReplyPart {
  const { reasoning, toolCalls, via } = prediction
  const message = Buffer.concat(Array.from({ length: prediction.repeat }, () => prediction.pieces).flat())
  const calls = toolCalls.map((call, index) => ({ index, ...call }))
  const written = [message.toString(), ...toolCalls.map(writeToolCall)].filter(Boolean).join('\n')
  return {
    message: via === 'deltas' ? Buffer.of() : via === 'both' ? message : Buffer.from(written),
    chatDeltas: [
      ...(reasoning ? [{ reasoningContent: reasoning }] : []),
      ...(via !== 'text' && message.length > 0 ? [{ content: message.toString() }] : []),
      ...(via !== 'text' && calls.length > 0 ? [{ toolCalls: calls }] : []),
    ],
    logprobs: writeLogprobs(prediction, prediction.pieces),
    ...totals(prediction),
  }
}

/** Running totals as a model reports them, then one reply without text with the final counts. */
function* replies(prediction: Prediction): Generator<ReplyPart> {
  const { promptTokens, completionTokens } = prediction
  let tokens = 0
  for (const part of parts(prediction)) {
    tokens = Math.min(tokens + 1, completionTokens)
    yield { ...part, tokens, promptTokens }
  }
  yield totals(prediction)
}

function* parts(prediction: Prediction): Generator<ReplyPart> {
  const { reasoning, pieces, repeat, toolCalls, via } = prediction
  for (const word of splitWords(reasoning)) yield { chatDeltas: [{ reasoningContent: word }] }
  for (let round = 0; round < repeat; round += 1) {
    for (const piece of pieces) yield { ...textPart(piece, via), logprobs: writeLogprobs(prediction, [piece]) }
  }
  for (const [index, call] of toolCalls.entries()) {
    if (via !== 'text') yield* callParts({ index, ...call })
    else yield { message: Buffer.from(`${index > 0 || pieces.length > 0 ? '\n' : ''}${writeToolCall(call)}`) }
  }
}

function textPart(piece: Uint8Array, via: Prediction['via']): ReplyPart {
  const chatDeltas = via === 'text' ? [] : [{ content: Buffer.from(piece).toString() }]
  return { message: via === 'deltas' ? Buffer.of() : piece, chatDeltas }
}

/** The name first, then the arguments in two halves. */
function* callParts(call: ToolCallDelta): Generator<ReplyPart> {
  const middle = Math.ceil(call.arguments.length / 2)
  yield { chatDeltas: [{ toolCalls: [{ ...call, arguments: '' }] }] }
  for (const piece of [call.arguments.slice(0, middle), call.arguments.slice(middle)]) {
    yield { chatDeltas: [{ toolCalls: [{ index: call.index, arguments: piece }] }] }
  }
}

function writeToolCall({ name, arguments: text }: Prediction['toolCalls'][number]): string {
  return `{"name": ${JSON.stringify(name)}, "arguments": ${text}}`
}

function totals({ promptTokens, completionTokens }: Prediction): ReplyPart {
  return { tokens: completionTokens, promptTokens, timingPromptProcessing: 0.1, timingTokenGeneration: 0.2 }
}

function writeLogprobs({ alternatives }: Prediction, pieces: readonly Uint8Array[]): Uint8Array {
  if (alternatives === undefined) return Buffer.of()
  const content = pieces.map((piece) => {
    const token = describeToken(Buffer.from(piece).toString())
    const others = Array.from({ length: Math.max(0, alternatives - 1) }, (_, index) => describeToken(`other-${index}`))
    return { ...token, top_logprobs: alternatives > 0 ? [token, ...others] : [] }
  })
  return Buffer.from(JSON.stringify({ content }))
}

function describeToken(token: string) {
  return { token, bytes: [...Buffer.from(token)], logprob: -(hashText(token) % 1000) / 1000 }
}
