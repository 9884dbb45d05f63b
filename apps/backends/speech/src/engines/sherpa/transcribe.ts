import { invalidRequest } from '../../errors.ts'
import type { CallOptions, SpokenSegment, Transcriber, TranscriptionRequest } from '../../speech-model.ts'
import type { EnginePool } from '../child/engine-pool.ts'
import { createWindows, SPEECH_RATE } from '../whisper/windows.ts'
import { askSession } from './ask-session.ts'
import type { HeardResult } from './protocol.ts'
import { toSegments } from './to-segments.ts'

/** Shorter audio is filled up with silence: some graphs fail on a few frames. */
const SHORTEST = 0.5 * SPEECH_RATE

/** Creates the transcriber of a loaded recogniser. The model knows its language; a prompt and a temperature it has not. */
export function createTranscriber(pool: EnginePool): Transcriber {
  return { transcribe: (samples, request, options) => transcribe(pool, { samples, request }, options) }
}

async function* transcribe(
  pool: EnginePool,
  { samples, request }: { readonly samples: AsyncIterable<Float32Array>; readonly request: TranscriptionRequest },
  { signal }: CallOptions,
): AsyncGenerator<SpokenSegment> {
  if (request.translate) throw invalidRequest('this model does not translate', 'translate')
  const session = await pool.begin({ signal })
  const windows = createWindows(samples)
  try {
    for (;;) {
      const window = await windows.next()
      session.signal.throwIfAborted()
      if (window === undefined) return
      if (window.isSilent) continue
      const heard = await askSession<HeardResult>(session, { kind: 'transcribe', samples: fillUp(window.samples) })
      const stretch = { offset: window.offset / SPEECH_RATE, seconds: window.samples.length / SPEECH_RATE }
      for (const segment of toSegments(heard, stretch, request.words)) {
        yield segment.language === '' ? { ...segment, language: request.language ?? '' } : segment
      }
    }
  } finally {
    session.end()
    await windows.close()
  }
}

function fillUp(samples: Float32Array): Float32Array {
  if (samples.length >= SHORTEST) return samples
  const filled = new Float32Array(SHORTEST)
  filled.set(samples)
  return filled
}
