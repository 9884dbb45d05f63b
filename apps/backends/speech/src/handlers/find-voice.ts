import { WELL_KNOWN_VOICES } from '../engines/voice-aliases.ts'
import { invalidRequest } from '../errors.ts'
import type { Synthesizer, Voice } from '../speech-model.ts'

const MAX_LISTED = 40

/**
 * Finds the voice of a name: the default voice without a name, a voice of the model, an alias of the model file, else the
 * default voice for a name of OpenAI's voices.
 *
 * @throws SpeechError `invalid_request` naming the voices, for any other name
 */
export function findVoice({ voices, aliases }: Pick<Synthesizer, 'voices' | 'aliases'>, name: string): Voice {
  const [usual] = voices
  if (usual === undefined) throw new Error('a model that speaks has a voice')
  if (name === '') return usual
  const found = voices.find((voice) => voice.name === name) ?? aliases.get(name)
  if (found !== undefined) return found
  if (WELL_KNOWN_VOICES.includes(name)) return usual
  const names = [...voices.map((voice) => voice.name), ...aliases.keys()]
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : ''
  throw invalidRequest(
    `there is no such voice; the voices are ${names.slice(0, MAX_LISTED).join(', ')}${more}`,
    'voice',
  )
}
