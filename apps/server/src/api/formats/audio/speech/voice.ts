import { leadsOut } from '../../../../inference/documents/check-setting.ts'
import { unparsable } from '../../../../inference/documents/unparsable.ts'

const SCHEME = /^[a-z][a-z0-9+.-]*:/i
const MAX_LENGTH = 1024
/** A scheme of names, which backends resolve. */
const PROFILE = /^localai:\/\/voice-profiles\/[\w-][\w.-]{0,255}$/

/**
 * Reads the voice that a client names. Some backends open a file of this name, so a path that leads out of their folder is
 * refused.
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
  if (PROFILE.test(voice)) return voice
  if (!leadsOut(voice) && !SCHEME.test(voice) && !/\p{Cc}/u.test(voice)) return voice
  throw unparsable(`${param}: must be the name of a voice`, param)
}
