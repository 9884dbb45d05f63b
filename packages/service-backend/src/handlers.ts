import type { BackendHandlers, ExtensionHandlers } from '@svc/backend-kit'
import { createDiarizationHandlers } from './handlers/diarization.ts'
import { createFaceHandlers } from './handlers/faces.ts'
import { createImageHandlers } from './handlers/images.ts'
import { createPredictHandlers } from './handlers/predict.ts'
import { createPromptLogprobsHandlers } from './handlers/prompt-logprobs.ts'
import { createSoundHandlers } from './handlers/sounds.ts'
import { createSpeechHandlers } from './handlers/speech.ts'
import { createStoreHandlers } from './handlers/stores.ts'
import { createTextHandlers } from './handlers/text.ts'
import { createTranscriptionHandlers } from './handlers/transcription.ts'
import { createVadHandlers } from './handlers/vad.ts'
import { createVoiceHandlers } from './handlers/voices.ts'
import { createServiceHost, type ServiceContext } from './host.ts'

/** Handlers of the contract, and of the one rpc of our own service that other instances can serve. */
export type ServiceHandlers = BackendHandlers & Pick<Required<ExtensionHandlers>, 'promptLogprobs'>

/**
 * Creates the handlers of a process that serves one model of another instance. Methods without a REST route there are
 * missing.
 */
export function createServiceHandlers(context: ServiceContext): ServiceHandlers {
  const host = createServiceHost(context)
  return {
    ...host.handlers,
    ...createPromptLogprobsHandlers(host),
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
