import { SvcError } from '@svc/errors'
import type { OperationRunner } from '../operation-runner.ts'
import { countWhenLeft } from './count-use.ts'
import { readSoundSeconds } from './sound-facts.ts'

/** Names the sounds of a recording. */
export const runClassifySound: OperationRunner<'classify-sound'> = async ({ path, topK, threshold }, context) => {
  const { client, model, signal, onMedia } = context
  const seconds = await readSoundSeconds(path)
  const known = seconds === undefined ? undefined : { seconds }
  const { detections } = await countWhenLeft(context, known, () =>
    client.soundDetection({ src: path, topK, threshold, ModelIdentity: model.parameters.model ?? '' }, { signal }),
  )
  if (known !== undefined) onMedia?.(known)
  const classes = detections.map(({ index, label, score }) => ({ index, label, score: Math.fround(score) }))
  if (classes.some(({ score }) => !Number.isFinite(score))) {
    throw new SvcError('internal', 'the backend gave no usable scores', { code: 'invalid_classes' })
  }
  const best = classes
    .filter(({ score }) => score >= Math.fround(threshold))
    .sort((one, other) => other.score - one.score)
    .map((each) => ({ ...each, score: Math.round(each.score * 1e6) / 1e6 }))
  return { promptTokens: 0, classes: topK > 0 ? best.slice(0, topK) : best }
}
