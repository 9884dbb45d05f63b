import { SvcError } from '@svc/errors'
import { sniffMedia } from '../../media/sniff-media.ts'
import type { OperationRunner } from '../operation-runner.ts'
import type { DetectedObject } from './image-operations.ts'

/** Finds objects in an image. */
export const runDetectObjects: OperationRunner<'detect-objects'> = async (request, context) => {
  const { client, model, signal } = context
  const { image, prompt, points, boxes, threshold } = request
  const reply = await client.detect(
    {
      src: image,
      prompt,
      points: [...points],
      boxes: [...boxes],
      threshold,
      ModelIdentity: model.parameters.model ?? '',
    },
    { signal },
  )
  const objects = reply.Detections.map(({ x, y, width, height, confidence, className, mask }): DetectedObject => {
    if (![x, y, width, height, confidence].every(Number.isFinite)) throw unusable('a number is missing')
    if (mask.length === 0) return { x, y, width, height, confidence, className }
    if (sniffMedia(mask)?.mediaType !== 'image/png') throw unusable('a mask is not PNG')
    return { x, y, width, height, confidence, className, mask }
  })
  context.onMedia?.({ images: 1 })
  return { promptTokens: 0, objects }
}

function unusable(reason: string): SvcError {
  return new SvcError('internal', `the backend gave no usable detections: ${reason}`, { code: 'invalid_detections' })
}
