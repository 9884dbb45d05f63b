import { encodeWavHeader } from '@svc/audio'
import { float32ToS16 } from '@svc/audio/samples'
import type { PrivateFiles } from '../../files/private-files.ts'
import { HEARD_RATE } from '../ports.ts'

/** Samples that are converted at a time. */
const PIECE = 160_000

/**
 * Runs work on a WAV file of heard sound. The file is private, and removed at every kind of end.
 *
 * @throws {SvcError} `insufficient_storage`; the failure of the work
 */
export async function* withSoundFile<T>(
  files: Pick<PrivateFiles, 'create'>,
  samples: Float32Array,
  work: (path: string) => AsyncIterable<T>,
): AsyncGenerator<T, void> {
  const file = await files.create({ extension: '.wav' })
  try {
    await file.append(encodeWavHeader({ sampleRate: HEARD_RATE, frames: samples.length }))
    for (let from = 0; from < samples.length; from += PIECE) {
      await file.append(float32ToS16(samples.subarray(from, from + PIECE)))
    }
    await file.close()
    yield* work(file.path)
  } finally {
    await file.remove()
  }
}
