import type { BackendHandlers } from '@svc/backend-kit'
import { toCall } from '../call.ts'
import { toBase64 } from '../files.ts'
import type { ServiceHost } from '../host.ts'

/** VoiceVerify, VoiceAnalyze and VoiceEmbed. */
export function createVoiceHandlers(
  host: ServiceHost,
): Pick<BackendHandlers, 'voiceVerify' | 'voiceAnalyze' | 'voiceEmbed'> {
  return {
    voiceVerify: async ({ ModelIdentity, audio1, audio2, threshold, antiSpoofing }, context) => {
      const service = host.use(ModelIdentity)
      const pair = { first: await toBase64(audio1), second: await toBase64(audio2) }
      return service.verifyVoices({ ...pair, threshold, antiSpoofing }, toCall(context))
    },
    voiceAnalyze: async ({ ModelIdentity, audio, actions }, context) => {
      const service = host.use(ModelIdentity)
      return { segments: [...(await service.analyzeVoice({ audio: await toBase64(audio), actions }, toCall(context)))] }
    },
    voiceEmbed: async ({ ModelIdentity, audio }, context) => {
      const { embedding, model } = await host.use(ModelIdentity).embedVoice(await toBase64(audio), toCall(context))
      return { embedding: [...embedding], model }
    },
  }
}
