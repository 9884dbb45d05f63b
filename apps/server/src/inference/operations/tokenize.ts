import { SvcError } from '@svc/errors'
import type { OperationRunner } from './operation-runner.ts'

/** Converts a text to ids of the model's vocabulary. */
export const runTokenize: OperationRunner<'tokenize'> = async ({ text }, context) => {
  const { client, model, correlationId, signal } = context
  const reply = await client.tokenizeString(
    { Prompt: text, CorrelationId: correlationId, ModelIdentity: model.parameters.model ?? '' },
    { signal },
  )
  if (reply.tokens.some((token) => token < 0)) {
    throw new SvcError('internal', 'the backend gave no usable tokens', { code: 'invalid_tokens' })
  }
  return { tokens: reply.tokens, promptTokens: 0 }
}
