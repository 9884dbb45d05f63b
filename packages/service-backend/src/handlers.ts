import type { BackendHandlers } from '@svc/backend-kit'
import { createDiarizationHandlers } from './handlers/diarization.ts'
import { createFaceHandlers } from './handlers/faces.ts'
import { createImageHandlers } from './handlers/images.ts'
import { createPredictHandlers } from './handlers/predict.ts'
import { createSoundHandlers } from './handlers/sounds.ts'
import { createSpeechHandlers } from './handlers/speech.ts'
import { createStoreHandlers } from './handlers/stores.ts'
import { createTextHandlers } from './handlers/text.ts'
import { createTranscriptionHandlers } from './handlers/transcription.ts'
import { createVadHandlers } from './handlers/vad.ts'
import { createVoiceHandlers } from './handlers/voices.ts'
import { createServiceHost, type ServiceContext } from './host.ts'

/**
 * Creates the handlers of a process that serves one model of another instance. Methods without a REST route there are
 * missing.
 */
export function createServiceHandlers(context: ServiceContext): BackendHandlers {
  const host = createServiceHost(context)
  return {
    ...host.handlers,
    ...createPredictHandlers(host),
    ...createTextHandlers(host),
    ...createStoreHandlers(host),
    ...createSpeechHandlers(host),
    ...createTranscriptionHandlers(host),
    ...createVadHandlers(host),
    ...createDiarizationHandlers(host),
    ...createSoundHandlers(host),
    ...createImageHandlers(host),
    ...createFaceHandlers(host),
    ...createVoiceHandlers(host),
  }
}
