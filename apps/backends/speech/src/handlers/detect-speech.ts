import type { BackendHandlers } from '@svc/backend-kit'
import { invalidRequest, notSupported } from '../errors.ts'
import type { ModelHost } from '../model-host.ts'

/** VAD: the spoken stretches of samples. */
export function createDetectSpeechHandlers(host: ModelHost): Pick<BackendHandlers, 'vad'> {
  return {
    vad: async ({ audio, ModelIdentity }, { signal }) => {
      const { speechDetector } = host.use(ModelIdentity)
      if (speechDetector === undefined) throw notSupported('this model does not find speech')
      if (!audio.every(Number.isFinite)) throw invalidRequest('audio must be finite numbers', 'audio')
      const segments = await speechDetector.detect(Float32Array.from(audio), { signal })
      return { segments: segments.map(({ start, end }) => ({ start, end })) }
    },
  }
}
