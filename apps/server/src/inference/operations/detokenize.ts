import type { BackendClient } from '@svc/backend-client'
import { SvcError } from '@svc/errors'
import type { OperationRunner } from './operation-runner.ts'

/**
 * Converts ids of the model's vocabulary to text.
 *
 * @throws {SvcError} `not_implemented` when the backend cannot do it
 */
export async function joinTokens(
  tokens: readonly number[],
  { client, signal }: { readonly client: BackendClient; readonly signal: AbortSignal },
): Promise<string> {
  try {
    return (await client.detokenize({ tokens: [...tokens] }, { signal })).content
  } catch (cause) {
    if (!SvcError.is(cause) || cause.kind !== 'not_implemented') throw cause
    const message = 'the backend of this model cannot turn tokens into text'
    throw new SvcError('not_implemented', message, { code: 'no_detokenize', cause })
  }
}

/** Runs `detokenize`. */
export const runDetokenize: OperationRunner<'detokenize'> = async ({ tokens }, context) => ({
  text: await joinTokens(tokens, context),
  promptTokens: 0,
})
