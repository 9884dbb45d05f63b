import { soundGenerationRequest, voiceSpeechRequest } from '@svc/wire/elevenlabs'
import { limitItems } from '../../../../inference/documents/limit-items.ts'
import { readBody } from '../../../../inference/documents/read-body.ts'
import type { MakeSoundRequest } from '../../../../inference/operations/audio/audio-operations.ts'
import type { WireFormat } from '../../../../inference/replies/wire-format.ts'
import { readLanguage } from '../language.ts'
import { toSoundContent } from '../output/sound-content.ts'
import { checkWish, readVendorFormat } from '../output/wish.ts'
import { MAX_PARAMS, requireText, toParams } from '../speech/format.ts'
import { toSpeechCall } from '../speech/speech-reply.ts'
import { readVoice } from '../speech/voice.ts'

/** Parts of a request outside of its body. */
export interface VendorAddress {
  /** `output_format` of the query. */
  readonly outputFormat: string | undefined
}

/** Creates the wire format of one request to `POST /v1/text-to-speech/:voice_id`. */
export function createVoiceSpeechFormat(
  address: VendorAddress & { readonly voice: string; readonly stream: boolean },
): WireFormat {
  return {
    async read(document, { signal }) {
      const wish = readVendorFormat(address.outputFormat)
      limitItems(document, 'voice_settings', MAX_PARAMS)
      const body = await readBody(voiceSpeechRequest, document, signal)
      const { speed, ...settings } = body.voice_settings ?? {}
      const request = {
        kind: 'speak',
        text: requireText(body.text, 'text'),
        voice: readVoice(address.voice, 'voice_id'),
        language: readLanguage(body.language_code, 'language_code'),
        params: toParams(settings, speed),
        stream: address.stream,
      } as const
      await checkWish(wish)
      return toSpeechCall(request, { wish, isEvents: false, signal })
    },
  }
}

/** Creates the wire format of one request to `POST /v1/sound-generation`. */
export function createSoundFormat({ outputFormat }: VendorAddress): WireFormat {
  return {
    async read(document, { signal }) {
      const wish = readVendorFormat(outputFormat)
      const body = await readBody(soundGenerationRequest, document, signal)
      const request: MakeSoundRequest = {
        kind: 'make-sound',
        text: body.text,
        seconds: body.duration_seconds ?? undefined,
        temperature: body.prompt_influence ?? undefined,
        samples: body.do_sample ?? undefined,
        thinks: body.think ?? undefined,
        caption: body.caption ?? undefined,
        lyrics: body.lyrics ?? undefined,
        bpm: body.bpm ?? undefined,
        keyscale: body.keyscale ?? undefined,
        language: readLanguage(body.language ?? body.vocal_language),
        timesignature: body.timesignature ?? undefined,
        isInstrumental: body.instrumental ?? undefined,
      }
      await checkWish(wish)
      return {
        kind: 'operation',
        request,
        async perform(run) {
          const { sound } = await run<'make-sound'>(request)
          return { kind: 'content', content: await toSoundContent(sound, wish, { name: 'sound', signal }) }
        },
      }
    },
  }
}
