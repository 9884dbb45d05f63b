import type { OperationRunner } from './operation-runner.ts'

/** The text of ids of the model's vocabulary. */
export const runDetokenize: OperationRunner<'detokenize'> = async ({ tokens }, { client, signal }) => {
  const { content } = await client.detokenize({ tokens: [...tokens] }, { signal })
  return { text: content, promptTokens: 0 }
}
