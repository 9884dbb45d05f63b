import { SvcError } from '@svc/errors'
import type { OperationRunner } from '../operation-runner.ts'
import { countWhenLeft } from './count-use.ts'
import { readSoundSeconds } from './sound-facts.ts'

/** Compares the speakers of two recordings. */
export const runVerifyVoice: OperationRunner<'verify-voice'> = async (request, context) => {
  const { client, model, signal, onMedia } = context
  const { path, referencePath, threshold, antiSpoofing } = request
  const seconds = await readSoundSeconds(path)
  const known = seconds === undefined ? undefined : { seconds }
  const { verified, distance } = await countWhenLeft(context, known, () =>
    client.voiceVerify(
      { audio1: path, audio2: referencePath, threshold, antiSpoofing, ModelIdentity: model.parameters.model ?? '' },
      { signal },
    ),
  )
  if (known !== undefined) onMedia?.(known)
  if (Number.isFinite(distance)) return { promptTokens: 0, isVerified: verified, distance }
  throw new SvcError('internal', 'the backend gave no usable distance', { code: 'invalid_distance' })
}
