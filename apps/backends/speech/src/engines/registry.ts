import { stat } from 'node:fs/promises'
import path from 'node:path'
import { badModel, invalidRequest } from '../errors.ts'
import { ENGINES, type EngineName } from '../speech-model.ts'
import type { Engine, LoadSettings } from './engine.ts'
import { fliteEngine } from './flite/flite.ts'
import { sherpaEngine } from './sherpa/engine.ts'
import { sileroEngine } from './silero/engine.ts'
import { whisperEngine } from './whisper/engine.ts'

/** The engines, in the order in which they are asked whether they recognise a file. */
const engines: Readonly<Partial<Record<EngineName, Engine>>> = {
  whisper: whisperEngine,
  silero: sileroEngine,
  sherpa: sherpaEngine,
  flite: fliteEngine,
}

/**
 * Finds the engine of a model: the one of the option `engine`, or else the first that recognises the file.
 *
 * @throws SpeechError `invalid_request` for an unknown name; `unprocessable` for a file that no engine recognises
 */
export async function findEngine({ options, path: place }: LoadSettings): Promise<Engine> {
  const name = options.get('engine')
  if (name !== undefined) {
    const known = ENGINES.find((each) => each === name)
    const engine = known === undefined ? undefined : engines[known]
    if (engine === undefined) throw invalidRequest(`option engine must be one of ${Object.keys(engines).join(', ')}`)
    return engine
  }
  const file = path.basename(place)
  if ((await stat(place).catch(() => undefined)) === undefined) throw badModel(`${file}: there is no such file`)
  for (const engine of Object.values(engines)) {
    if (await engine.recognizes(place)) return engine
  }
  throw badModel(`${file}: not a model of a known type (${Object.keys(engines).join(', ')})`)
}
