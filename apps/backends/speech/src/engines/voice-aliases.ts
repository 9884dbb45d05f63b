import { SpeechError } from '../errors.ts'
import type { Voice } from '../speech-model.ts'

const MAX_ALIASES = 256

/** The voices of OpenAI's models, which every model speaks with its default voice. */
export const WELL_KNOWN_VOICES: readonly string[] = [
  ...['alloy', 'ash', 'ballad', 'cedar', 'coral', 'echo', 'fable'],
  ...['marin', 'nova', 'onyx', 'sage', 'shimmer', 'verse'],
]

/**
 * Reads the option `voice_aliases`: other names of voices, such as `nova=rms,onyx=awb`.
 *
 * @throws SpeechError `invalid_request` for an alias of a voice that the model does not have
 */
export function readVoiceAliases(
  options: ReadonlyMap<string, string>,
  voices: readonly Voice[],
): ReadonlyMap<string, Voice> {
  const aliases = new Map<string, Voice>()
  const entries = (options.get('voice_aliases') ?? '').split(',').filter((entry) => entry.trim() !== '')
  if (entries.length > MAX_ALIASES) throw wrong(`may have at most ${MAX_ALIASES} names`)
  for (const entry of entries) {
    const [alias = '', name = ''] = entry.split('=').map((part) => part.trim())
    const voice = voices.find((candidate) => candidate.name === name)
    if (alias === '' || voice === undefined)
      throw wrong(`must be such as nova=${voices[0]?.name ?? 'voice'}, not "${entry.trim()}"`)
    aliases.set(alias, voice)
  }
  return aliases
}

function wrong(told: string): SpeechError {
  return new SpeechError('invalid_request', `option voice_aliases ${told}`, { details: { param: 'Options' } })
}
