import type { TTSRequest } from '@svc/backend-client/proto'
import type { BackendHandlers } from '@svc/backend-kit'
import { toCall } from '../call.ts'
import { writeOutput } from '../files.ts'
import type { ServiceHost } from '../host.ts'

/** TTS, TTSStream and SoundGeneration. */
export function createSpeechHandlers(
  host: ServiceHost,
): Pick<BackendHandlers, 'tts' | 'ttsStream' | 'soundGeneration'> {
  return {
    tts: async (request, context) => {
      const body = await host.use(request.ModelIdentity).speak(toSpeech(request), toCall(context))
      await writeOutput(request.dst, body)
      return { success: true, message: 'spoken' }
    },
    ttsStream: async function* (request, context) {
      for await (const piece of host.use(request.ModelIdentity).speakStream(toSpeech(request), toCall(context))) {
        if ('audio' in piece) yield { audio: Buffer.from(piece.audio) }
        else yield { message: Buffer.from(JSON.stringify({ sample_rate: piece.sampleRate })) }
      }
    },
    soundGeneration: async (request, context) => {
      const { ModelIdentity, dst, src, srcDivisor: _none, model: _own, ...input } = request
      await writeOutput(dst, await host.use(ModelIdentity).makeSound({ ...input, source: src }, toCall(context)))
      return { success: true, message: 'made' }
    },
  }
}

function toSpeech({ text, voice, language, instructions, params }: TTSRequest) {
  return { text, voice, language, instructions, params }
}
