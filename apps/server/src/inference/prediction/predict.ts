import type { BackendClient } from '@svc/backend-client'
import type { PredictionEvent, Usage } from '../events.ts'
import type { ExecuteOptions } from '../executor.ts'
import { createReplyDecoder } from '../reply-decoder.ts'
import type { GenerationRequest } from '../request.ts'
import { toPredictOptions } from '../to-predict-options.ts'

/** What a prediction runs with. */
export interface PredictionContext extends ExecuteOptions {
  readonly client: BackendClient
}

/** Runs predictions on a loaded model. */
export type Predictor = (request: GenerationRequest, context: PredictionContext) => AsyncGenerator<PredictionEvent>

/** Choices one after the other; each prompt counts once, the answers add up. */
export function createPredictor(): Predictor {
  return async function* predict(request, context) {
    const total = { promptTokens: 0, completionTokens: 0, promptMs: 0, generationMs: 0 }
    const prompts = request.kind === 'chat' ? [undefined] : request.prompts.map(toText)
    for (const [index, prompt] of prompts.entries()) {
      for (let number = 0; number < request.choices; number += 1) {
        const choice = index * request.choices + number
        const usage: Usage = yield* runChoice(request, { ...context, prompt, choice })
        if (number === 0) total.promptTokens += usage.promptTokens
        total.completionTokens += usage.completionTokens
        total.promptMs += usage.promptMs
        total.generationMs += usage.generationMs
      }
    }
    yield { type: 'usage', usage: total }
  }
}

function toText(prompt: string | readonly number[]): string {
  return typeof prompt === 'string' ? prompt : ''
}

async function* runChoice(
  request: GenerationRequest,
  context: PredictionContext & { readonly prompt: string | undefined; readonly choice: number },
): AsyncGenerator<PredictionEvent, Usage> {
  const { client, model, correlationId, signal, prompt, choice } = context
  const input = request.kind === 'chat' ? request : { ...request, messages: [] }
  const options = toPredictOptions(model, input, { correlationId, choice, prompt })
  const decoder = createReplyDecoder({
    choice,
    maxTokens: options.Tokens ?? 0,
    contextSize: model.contextSize ?? 0,
  })
  if (request.stream) {
    for await (const reply of client.predictStream(options, { signal })) yield* decoder.reply(reply)
  } else {
    yield* decoder.reply(await client.predict(options, { signal }))
  }
  yield* decoder.end()
  return decoder.usage
}
