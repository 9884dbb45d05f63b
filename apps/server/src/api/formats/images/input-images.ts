import { readFile } from 'node:fs/promises'
import { SvcError } from '@svc/errors'
import type { FormFile } from '../../../inference/documents/form.ts'
import type { Attachment, MediaKind, Medium } from '../../../inference/media/attachment.ts'
import { checkImage } from '../../../inference/media/check-image.ts'
import type { MediaInputs } from '../../../inference/media/media-inputs.ts'
import { invalidMedia } from '../../../inference/media/media-refusal.ts'
import { sniffMedia } from '../../../inference/media/sniff-media.ts'

/** Largest image of a form (threats FETCH-2). */
export const MAX_IMAGE_BYTES = 20_000_000

const IS_URL = /^(https?|data):/i

/** Makes the attachment of a text field: an http or https URL, a data URL, or base64. */
export function toAttachment(text: string, param: string, kind: MediaKind = 'image'): Attachment {
  return { kind, source: IS_URL.test(text) ? { url: text } : { base64: text }, param }
}

/**
 * Reads an image that a field names.
 *
 * @throws {SvcError} `invalid_request` naming the field
 */
export async function readImage(media: MediaInputs, text: string, param: string): Promise<Medium> {
  const medium = await media.read(toAttachment(text, param), ['image'])
  const { mediaType, base64 } = medium
  const head = (length: number): Buffer => Buffer.from(base64.slice(0, Math.ceil(length / 3) * 4), 'base64')
  checkImage({ mediaType, head }, { param })
  return medium
}

/**
 * Reads the bytes of an image of a form.
 *
 * @throws {SvcError} `invalid_request` naming the field
 */
export async function readFormImage({ field, path }: FormFile, signal: AbortSignal): Promise<Buffer> {
  const place = { param: field }
  const bytes = await readFile(path, { signal })
  if (bytes.length === 0) throw invalidMedia(place, 'is empty')
  const found = sniffMedia(bytes)
  if (found?.kinds.includes('image') !== true) throw invalidMedia(place, 'is no image of a known type')
  checkImage({ mediaType: found.mediaType, head: (length) => bytes.subarray(0, length) }, place)
  return bytes
}

/** Codes of failures of the disk. */
const STORAGE_CODES: ReadonlySet<string> = new Set(['disk_full', 'not_writable', 'file_failed'])

/** Converts a failure of the disk to the specified text. Other failures stay as they are. */
export function toStorageFailure(error: unknown): unknown {
  if (!SvcError.is(error) || !STORAGE_CODES.has(error.code)) return error
  return new SvcError('internal', 'failed to prepare storage', { code: 'storage_failed', cause: error })
}
