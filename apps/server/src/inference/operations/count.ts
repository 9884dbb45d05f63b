import { toPredictOptions } from '../engine/to-predict-options.ts'
import type { OperationRunner } from './operation-runner.ts'

/**
 * Counts the tokens of a chat's prompt: of the text that our templates write, or of the messages that the backend
 * renders.
 */
export const runCount: OperationRunner<'count'> = async (
  { chat },
  { client, model, correlationId, prompts, signal },
) => {
  const written = await prompts?.chat(model, chat, { signal })
  const prompt = written?.mode === 'prompt' ? written.prompt : undefined
  const asked = toPredictOptions(model, chat, { correlationId, choice: 0, prompt })
  const { length, tokens } = await client.tokenizeString(asked, { signal })
  // Some backends return only the tokens.
  return { tokens: Math.max(length, tokens.length), promptTokens: 0 }
}
