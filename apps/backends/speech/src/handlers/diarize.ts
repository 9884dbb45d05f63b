import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createFfmpeg, decodeAudio } from '@svc/audio'
import type { DiarizeRequest } from '@svc/backend-client/proto'
import type { BackendHandlers } from '@svc/backend-kit'
import { invalidRequest, notSupported } from '../errors.ts'
import type { ModelHost } from '../model-host.ts'
import type { DiarizationRequest } from '../speech-model.ts'

const SPEECH_RATE = 16_000
const CONVERSION_MS = 3600 * 1000
const converter = createFfmpeg({ timeoutMs: CONVERSION_MS })

/** Diarize: who speaks when in a file. */
export function createDiarizeHandlers(host: ModelHost): Pick<BackendHandlers, 'diarize'> {
  return {
    diarize: async (request, { signal }) => {
      const { diarizer } = host.use(request.ModelIdentity)
      if (diarizer === undefined) throw notSupported('this model does not tell speakers apart')
      if (request.includeText) throw notSupported('this model writes no text: ask without include_text')
      const found = await stat(request.dst).catch(() => undefined)
      if (found?.isFile() !== true) throw invalidRequest('the audio file cannot be read', 'dst')
      let count = 0
      const read = async function* (): AsyncGenerator<Float32Array> {
        const file = createReadStream(request.dst)
        for await (const piece of decodeAudio(file, { sampleRate: SPEECH_RATE, converter, signal })) {
          count += piece.length
          yield piece
        }
      }
      const turns = await diarizer.diarize(read(), toRequest(request), { signal })
      const segments = turns.map(({ start, end, speaker }, id) => ({ id, start, end, speaker: `SPEAKER_${speaker}` }))
      return { segments, numSpeakers: new Set(turns.map(({ speaker }) => speaker)).size, duration: count / SPEECH_RATE }
    },
  }
}

/** A range of speakers counts only where both of its ends are the same. */
function toRequest(request: DiarizeRequest): DiarizationRequest {
  const { numSpeakers, minSpeakers, maxSpeakers, clusteringThreshold, minDurationOn, minDurationOff } = request
  return {
    speakers: numSpeakers > 0 ? numSpeakers : minSpeakers === maxSpeakers ? Math.max(0, maxSpeakers) : 0,
    clusteringThreshold,
    minOnSeconds: minDurationOn,
    minOffSeconds: minDurationOff,
  }
}
