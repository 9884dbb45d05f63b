import { unparsable } from '../../../../inference/documents/unparsable.ts'
import { isVoiceName } from '../../../../inference/documents/voice-name.ts'

const MAX_LENGTH = 1024

/**
 * Reads the voice that a client names.
 *
 * @throws {SvcError} `invalid_request`
 */
export function readVoice(
  given: string | { readonly id: string } | null | undefined,
  param = 'voice',
): string | undefined {
  const voice = typeof given === 'object' ? given?.id : given
  if (voice === undefined || voice === '') return undefined
  if (voice.length > MAX_LENGTH) throw unparsable(`${param}: must have at most ${MAX_LENGTH} characters`, param)
  if (isVoiceName(voice)) return voice
  throw unparsable(`${param}: must be the name of a voice`, param)
}
