import { StatusResponse_State } from '@svc/backend-client/proto'
import type { BackendHandlers } from '@svc/backend-kit'
import { SvcError } from '@svc/errors'
import { createHearingHandlers } from './handlers/hearing.ts'
import { createImageHandlers } from './handlers/images.ts'
import { createPeopleHandlers } from './handlers/people.ts'
import { createPredictHandlers } from './handlers/predict.ts'
import { createSpeechHandlers } from './handlers/speech.ts'
import { createStoreHandlers } from './handlers/stores.ts'
import { createTextHandlers } from './handlers/text.ts'
import { createTranscriptionHandlers } from './handlers/transcription.ts'
import { createServiceHost, type ServiceContext, type ServiceHost } from './host.ts'

/** The handlers of a process that serves one model of another instance. What has no route there is left out. */
export function createServiceHandlers(context: ServiceContext): BackendHandlers {
  const host = createServiceHost(context)
  return {
    ...createLifecycleHandlers(host),
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

function createLifecycleHandlers(host: ServiceHost): Pick<BackendHandlers, 'loadModel' | 'free' | 'status'> {
  return {
    loadModel: async (request, { signal }) => {
      try {
        await host.load(request)
        return { success: true, message: 'loaded' }
      } catch (error) {
        signal.throwIfAborted()
        if (SvcError.is(error)) return { success: false, message: error.message }
        throw error
      }
    },
    free: () => {
      host.unload()
      return { success: true, message: 'freed' }
    },
    status: () => ({
      state: host.isLoaded ? StatusResponse_State.READY : StatusResponse_State.UNINITIALIZED,
      memory: { total: BigInt(process.memoryUsage.rss()) },
    }),
  }
}
