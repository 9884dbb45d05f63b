import type { PartialMessage } from '@svc/backend-client'
import { ANSWER_TRAILERS, type PredictOptions } from '@svc/backend-client/proto'
import { type FinishReason, NO_USAGE, type PredictionEvent, type PredictionStep, type Usage } from '../events.ts'
import { createReplyDecoder, type ToldEnd } from '../reply-decoder.ts'
import type { GenerationRequest } from '../request.ts'
import { toPredictOptions } from '../to-predict-options.ts'
import { isFormMismatch } from './check-answer.ts'
import { createOwnCount } from './own-count.ts'
import type { Plan, PlanPrediction } from './plan.ts'
import type { PredictionContext } from './prediction-context.ts'
import { createReplyText } from './reply-text.ts'

/** Runs predictions on a loaded model. */
export type Predictor = (request: GenerationRequest, context: PredictionContext) => AsyncGenerator<PredictionStep>

/** One choice of a reply. */
interface Choice {
  readonly index: number
  readonly plan: Plan
  /** Whether it is the first answer to its prompt. */
  readonly countsPrompt: boolean
}

/** Choices one after the other; each prompt counts once, the answers add up. */
export function createPredictor(plan: PlanPrediction): Predictor {
  return async function* predict(request, context) {
    let total: Usage = NO_USAGE
    const plans = await plan(request, context)
    for (const [position, one] of plans.entries()) {
      for (let number = 0; number < request.choices; number += 1) {
        const countsPrompt = number === 0
        const choice = { index: position * request.choices + number, plan: one, countsPrompt }
        const before = total
        // A prompt counts once, however many answers it gets.
        const sumUp = (usage: Usage): Usage => ({
          promptTokens: before.promptTokens + (countsPrompt ? usage.promptTokens : 0),
          completionTokens: before.completionTokens + usage.completionTokens,
          promptMs: before.promptMs + usage.promptMs,
          generationMs: before.generationMs + usage.generationMs,
        })
        total = sumUp(yield* addUp(runChoice(request, choice, context), sumUp))
      }
    }
    yield { type: 'usage', usage: total }
  }
}

/** The steps of one choice with the figures of all choices so far. */
async function* addUp(
  steps: AsyncGenerator<PredictionStep, Usage>,
  sumUp: (usage: Usage) => Usage,
): AsyncGenerator<PredictionStep, Usage> {
  try {
    let step = await steps.next()
    while (step.done !== true) {
      const { value } = step
      yield value.type === 'progress' ? { type: 'progress', usage: sumUp(value.usage) } : value
      step = await steps.next()
    }
    return step.value
  } finally {
    await steps.return(NO_USAGE)
  }
}

async function* runChoice(
  request: GenerationRequest,
  choice: Choice,
  context: PredictionContext,
): AsyncGenerator<PredictionStep, Usage> {
  const { client, model, signal } = context
  const { index, plan, countsPrompt } = choice
  const options = toOptions(request, choice, context)
  const check = gateOf(plan, { refuses: model.strictAnswers })
  const decoder = createReplyDecoder({
    choice: index,
    maxTokens: options.Tokens ?? 0,
    contextSize: model.contextSize ?? 0,
    prefersText: plan.prefersText,
    parallel: plan.parallel,
    text: createReplyText({ ...plan.reading, finisher: plan.finisher?.(), stream: request.stream }),
  })
  const count =
    model.featureFlags.usage === true
      ? createOwnCount(options, { client, signal, stream: request.stream, countsPrompt })
      : undefined
  let told: ToldEnd = {}
  const onTrailers = (trailers: Readonly<Record<string, string>>): void => {
    told = {
      stopText: options.StopPrompts?.[Number(trailers[ANSWER_TRAILERS.stop])],
      finishReason: readFinishReason(trailers[ANSWER_TRAILERS.finish]),
    }
  }
  const replies = request.stream
    ? client.predictStream(options, { signal, onTrailers })
    : [await client.predict(options, { signal, onTrailers })]
  let shown = NO_USAGE
  for await (const reply of replies) {
    count?.reply(reply)
    const events = check(decoder.reply(reply))
    const { usage } = decoder
    const isNew = usage.promptTokens !== shown.promptTokens || usage.completionTokens !== shown.completionTokens
    if (request.stream && count === undefined && isNew) {
      shown = usage
      yield { type: 'progress', usage }
    }
    yield* events
  }
  yield* check(decoder.end(told))
  return count === undefined ? decoder.usage : await count.usage(decoder.usage)
}

const FINISH_REASONS: readonly (string | undefined)[] = ['stop', 'length', 'tool_calls', 'content_filter']

function readFinishReason(word: string | undefined): FinishReason | undefined {
  return FINISH_REASONS.includes(word) ? (word as FinishReason) : undefined
}

/**
 * Lets events pass, and warns before the end of a choice that has not the form that was asked for.
 *
 * @param options.refuses such a choice is an error instead
 */
function gateOf(
  { check, checkCall }: Plan,
  { refuses }: { readonly refuses: boolean },
): (events: PredictionEvent[]) => readonly PredictionStep[] {
  if (check === undefined && checkCall === undefined) return (events) => events
  let answer = ''
  const calls = new Map<number, { readonly name: string; json: string }>()
  return (events) => {
    const warnings: PredictionStep[] = []
    for (const event of events) {
      if (event.type === 'text-delta') answer += event.text
      if (event.type === 'tool-call-start') calls.set(event.index, { name: event.name, json: '' })
      const call = event.type === 'tool-call-delta' ? calls.get(event.index) : undefined
      if (call !== undefined && event.type === 'tool-call-delta') call.json += event.arguments
      // One that was cut off is no answer yet.
      if (event.type !== 'choice-end') continue
      try {
        if (event.finishReason === 'stop') check?.(answer)
        if (event.finishReason === 'tool_calls') for (const { name, json } of calls.values()) checkCall?.(name, json)
      } catch (error) {
        if (refuses || !isFormMismatch(error)) throw error
        warnings.push({ type: 'warning', code: 'answer_form_mismatch', message: error.message })
      }
    }
    return warnings.length === 0 ? events : [...warnings, ...events]
  }
}

function toOptions(
  request: GenerationRequest,
  { index, plan }: Choice,
  context: PredictionContext,
): PartialMessage<PredictOptions> {
  const input = request.kind === 'chat' ? request : { ...request, messages: [] }
  return toPredictOptions(context.model, input, {
    correlationId: context.correlationId,
    choice: index,
    prompt: plan.prompt,
    grammar: plan.grammar,
    grammarMayWait: plan.grammarMayWait,
  })
}
