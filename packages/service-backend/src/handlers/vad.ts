import type { BackendHandlers } from '@svc/backend-kit'
import { toCall } from '../call.ts'
import type { ServiceHost } from '../host.ts'

/** VAD. */
export function createVadHandlers(host: ServiceHost): Pick<BackendHandlers, 'vad'> {
  return {
    vad: async ({ ModelIdentity, audio }, context) => ({
      segments: [...(await host.use(ModelIdentity).detectSpeech(audio, toCall(context)))],
    }),
  }
}
