import { SvcError } from '@svc/errors'
import type { OperationContext, OperationRunner } from '../operation-runner.ts'
import type { ListedVoice } from './audio-operations.ts'

/** A backend without this call may be slow to say so. */
const TIMEOUT_MS = 5000

/**
 * Asks a loaded model for its voices. Other backends than ours do not list them: the voice of the model file is theirs.
 *
 * @throws SvcError `not_implemented` for a backend that lists no voices, where the model file names none
 */
export const runListVoices: OperationRunner<'list-voices'> = async (_request, context) => {
  const listed = await askBackend(context)
  const own = context.model.tts.voice ?? ''
  const usual = listed.find(({ name }) => name === own) ?? { name: own, language: '' }
  const voices = own === '' ? listed : [usual, ...listed.filter(({ name }) => name !== own)]
  if (voices.length > 0) return { promptTokens: 0, voices }
  throw new SvcError('not_implemented', `model "${context.model.name}" does not list its voices`, { code: 'no_voices' })
}

async function askBackend({ client, signal }: OperationContext): Promise<readonly ListedVoice[]> {
  try {
    return (await client.extensions.capabilities({}, { signal, timeoutMs: TIMEOUT_MS })).voices
  } catch {
    signal.throwIfAborted()
    return []
  }
}
