import { type Detection, detectionRequest, MAX_MARKS } from '@svc/wire/openai'
import { limitItems } from '../../../inference/documents/limit-items.ts'
import { readBody } from '../../../inference/documents/read-body.ts'
import type { DetectedObject } from '../../../inference/operations/images/image-operations.ts'
import { JsonPieces } from '../../../inference/replies/json-pieces.ts'
import { toOperationCall, type WireFormat } from '../../../inference/replies/wire-format.ts'
import { readImage } from './input-images.ts'

/** The wire format of `POST /v1/detection`. */
export const detectionFormat: WireFormat = {
  async read(document, { media, signal }) {
    for (const field of ['points', 'boxes']) limitItems(document, field, MAX_MARKS)
    const body = await readBody(detectionRequest, document, signal)
    const { base64: image } = await readImage(media, body.image, 'image')
    return toOperationCall<'detect-objects'>(
      {
        kind: 'detect-objects',
        image,
        prompt: body.prompt ?? '',
        points: body.points ?? [],
        boxes: body.boxes ?? [],
        threshold: body.threshold ?? 0,
      },
      ({ objects }) =>
        new JsonPieces(writeList(objects), { holdsMedia: objects.some(({ mask }) => mask !== undefined) }),
    )
  },
}

/** Writes the list one object at a time: masks are long. */
function* writeList(objects: readonly DetectedObject[]): Generator<string> {
  yield '{"detections":['
  for (const [index, object] of objects.entries()) {
    yield `${index === 0 ? '' : ','}${JSON.stringify(toDetection(object))}`
  }
  yield ']}'
}

function toDetection({ className, mask, ...box }: DetectedObject): Detection {
  const named = { ...box, class_name: className }
  return mask === undefined ? named : { ...named, mask: Buffer.from(mask).toString('base64') }
}
