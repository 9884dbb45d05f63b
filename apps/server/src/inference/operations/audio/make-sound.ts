import type { OperationRunner } from '../operation-runner.ts'
import { countWhenLeft } from './count-use.ts'
import { makeSoundFile } from './made-sound.ts'
import { findModelPath } from './speak.ts'

/** Makes a sound or music. */
export const runMakeSound: OperationRunner<'make-sound'> = async (request, context) => {
  const { client, model, signal, onMedia } = context
  const fields = {
    text: request.text,
    model: await findModelPath(model),
    duration: request.seconds,
    temperature: request.temperature,
    sample: request.samples,
    think: request.thinks,
    caption: request.caption,
    lyrics: request.lyrics,
    bpm: request.bpm,
    keyscale: request.keyscale,
    language: request.language,
    timesignature: request.timesignature,
    instrumental: request.isInstrumental,
    ModelIdentity: model.parameters.model ?? '',
  }
  const made = await countWhenLeft(context, undefined, () =>
    makeSoundFile(context, (dst) => client.soundGeneration({ ...fields, dst }, { signal })),
  )
  const { seconds } = made.sound
  if (seconds !== undefined) onMedia?.({ seconds })
  return made
}
