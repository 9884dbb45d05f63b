import { open } from 'node:fs/promises'
import { SvcError } from '@svc/errors'
import type { FormFile } from '../documents/form.ts'
import { unparsable } from '../documents/unparsable.ts'
import type { MediaInputs } from './media-inputs.ts'
import { SNIFFED_BYTES, sniffMedia } from './sniff-media.ts'

const KNOWN = 'wav, mp3, flac, ogg, opus, m4a, mp4, aac, aiff, amr, webm, mpeg'

/** The form of routes that take a recording in the field `file`. */
export const SOUND_FORM = { files: { file: {} } } as const

/**
 * Takes the recording of a form. Its first bytes decide its type: a playlist with the name of a song would let a decoder
 * open other files.
 *
 * @returns its path, which ends as its type does
 * @throws {SvcError} `invalid_request` without a file or bytes, `unsupported_media` for anything but sound and film
 */
export async function takeSound(files: readonly FormFile[], media: MediaInputs): Promise<string> {
  const file = files.find(({ field }) => field === 'file')
  if (file === undefined) throw unparsable('file is required', 'file')
  if (file.sizeBytes === 0) throw unparsable('file is empty', 'file')
  const sniffed = sniffMedia(await readHead(file.path))
  const isSound = sniffed?.kinds.some((kind) => kind !== 'image') === true
  if (!isSound) {
    throw new SvcError('unsupported_media', `file is neither sound nor film; known types: ${KNOWN}`, {
      code: 'unsupported_sound',
      details: { type: 'invalid_request_error', param: 'file' },
    })
  }
  return await media.rename(file.path, sniffed.mediaType)
}

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
