import { toPredictOptions } from '../to-predict-options.ts'
import type { OperationRunner } from './operation-runner.ts'

/** Tokens of the prompt of a chat: of the text our templates make, or of what the backend makes of the messages. */
export const runCount: OperationRunner<'count'> = async (
  { chat },
  { client, model, correlationId, prompts, signal },
) => {
  const written = await prompts?.chat(model, chat, { signal })
  const prompt = written?.mode === 'prompt' ? written.prompt : undefined
  const asked = toPredictOptions(model, chat, { correlationId, choice: 0, prompt })
  const { length, tokens } = await client.tokenizeString(asked, { signal })
  // Some backends give the tokens alone.
  return { tokens: Math.max(length, tokens.length), promptTokens: 0 }
}
