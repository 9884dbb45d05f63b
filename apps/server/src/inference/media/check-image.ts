import type { Attachment } from './attachment.ts'
import { countSizeBytes, readImageSize } from './image-size.ts'
import { invalidMedia } from './media-refusal.ts'

/** Longest side of an image that a backend may decode. */
const MAX_SIDE = 16_384
/** Most points of an image that a backend may decode. A header of some bytes could otherwise take all its memory. */
const MAX_POINTS = 8192 * 8192

/** Bytes of an image, with the type that the first ones show. */
export interface ImageBytes {
  readonly mediaType: string
  /** Gives the leading bytes; fewer only where the image ends. @param length may be infinite */
  head(length: number): Buffer
}

/**
 * Refuses an image that backends cannot decode safely.
 *
 * @throws {SvcError} `invalid_request` with code `invalid_media`
 */
export function checkImage({ mediaType, head }: ImageBytes, place: Pick<Attachment, 'param'>): void {
  const size = readImageSize(head(countSizeBytes(mediaType)), mediaType)
  if (size === undefined) throw invalidMedia(place, `is ${mediaType}, and no PNG, JPEG, WebP or GIF with a size`)
  const { width, height } = size
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_POINTS) {
    throw invalidMedia(place, `has ${width}x${height} points: more than ${MAX_POINTS} or a side over ${MAX_SIDE}`)
  }
}
