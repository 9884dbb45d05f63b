import { SvcError } from '@svc/errors'
import { sniffMedia } from '../../media/sniff-media.ts'
import type { OperationFigures } from '../operation.ts'
import type { OperationRunner } from '../operation-runner.ts'

/** An image in which objects are searched. */
export interface DetectObjectsRequest {
  readonly kind: 'detect-objects'
  /** The image in base64. */
  readonly image: string
  /** Names the objects. @default all that the model knows */
  readonly prompt: string
  /** Triples of x, y and label. */
  readonly points: readonly number[]
  /** Quadruples of two corners. */
  readonly boxes: readonly number[]
  /** Least confidence, 0 to 1. 0 = the backend's own. */
  readonly threshold: number
}

/** An object in an image. Its box is in points of the image. */
export interface DetectedObject {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly className: string
  readonly confidence: number
  /** A PNG image of its outline. */
  readonly mask?: Uint8Array | undefined
}

/** The objects in the order of the backend. */
export interface DetectObjectsResult extends OperationFigures {
  readonly objects: readonly DetectedObject[]
}

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
