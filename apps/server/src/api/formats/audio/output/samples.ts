import { AudioError, readWav } from '@svc/audio'
import { float32ToS16, MAX_RATE, MIN_RATE, mixChannels } from '@svc/audio/samples'
import { SvcError } from '@svc/errors'
import type { MadeSound } from '../../../../inference/operations/audio/audio-operations.ts'
import { openMadeFile } from '../../../../inference/operations/made-file.ts'

/** Samples as the encoders take them: 16-bit integers, little endian, interleaved. */
export interface Samples {
  readonly pcm: AsyncIterable<Uint8Array>
  readonly sampleRate: number
  readonly channels: 1 | 2
  /** Ends the reading, also one that has not begun. @default nothing is open */
  readonly close?: (() => void) | undefined
}

const PIECE_BYTES = 64 * 1024

/** Reads a file that a backend has written. */
export async function* readMadeFile({ path }: Pick<MadeSound, 'path'>): AsyncGenerator<Uint8Array> {
  const file = await openMadeFile(path)
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(PIECE_BYTES) })
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

/**
 * Opens the samples of a file that a backend has written. Leaving them ends the reading.
 *
 * @throws {SvcError} `unsupported_media` for another type than WAV; `internal` (`no_sound`) for a damaged file, and for
 *   a rate that no encoder takes
 */
export async function openSamples(sound: MadeSound, signal: AbortSignal): Promise<Samples> {
  if (sound.mediaType !== 'audio/wav') {
    const message = `the model writes ${sound.mediaType}, which cannot be converted: ask again without a format`
    throw new SvcError('unsupported_media', message, { code: 'unsupported_sound' })
  }
  const { header, samples } = await readWav(readMadeFile(sound), { signal }).catch(blameBackend)
  if (header.sampleRate < MIN_RATE || header.sampleRate > MAX_RATE) {
    await samples.return?.()
    throw noSound(`${header.sampleRate} samples a second`)
  }
  const channels = header.channels === 2 ? 2 : 1
  return {
    pcm: toPcm(samples, { from: header.channels, to: channels }),
    sampleRate: header.sampleRate,
    channels,
    close: () => void samples.return?.(),
  }
}

async function* toPcm(
  samples: AsyncIterable<Float32Array>,
  channels: { readonly from: number; readonly to: number },
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of samples) yield float32ToS16(mixChannels(piece, channels))
  } catch (error) {
    blameBackend(error)
  }
}

/** The fault of a file is that of the backend, and no mistake of the client. */
function blameBackend(error: unknown): never {
  if (!(error instanceof AudioError)) throw error
  throw noSound(error.message, error)
}

function noSound(reason: string, cause?: unknown): SvcError {
  return new SvcError('internal', `the backend has written no usable sound: ${reason}`, { code: 'no_sound', cause })
}
