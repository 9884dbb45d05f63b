import type { BackendHandlers } from '@svc/backend-kit'
import { createHearingHandlers } from './handlers/hearing.ts'
import { createImageHandlers } from './handlers/images.ts'
import { createPeopleHandlers } from './handlers/people.ts'
import { createPredictHandlers } from './handlers/predict.ts'
import { createSpeechHandlers } from './handlers/speech.ts'
import { createStoreHandlers } from './handlers/stores.ts'
import { createTextHandlers } from './handlers/text.ts'
import { createTranscriptionHandlers } from './handlers/transcription.ts'
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
    ...createHearingHandlers(host),
    ...createImageHandlers(host),
    ...createPeopleHandlers(host),
  }
}
