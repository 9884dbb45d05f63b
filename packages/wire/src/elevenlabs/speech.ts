import * as z from 'zod'
import { speechSpeed } from '../openai/speech.ts'
import { anySeed, unitInterval } from '../scalars.ts'

/** Body of `POST /v1/text-to-speech/:voice_id` and of its sibling `/stream`. */
export const voiceSpeechRequest = z.looseObject({
  text: z.string().min(1),
  model_id: z.string().nullish(),
  language_code: z.string().nullish(),
  seed: anySeed.nullish(),
  voice_settings: z
    .looseObject({
      stability: unitInterval.nullish(),
      similarity_boost: unitInterval.nullish(),
      style: unitInterval.nullish(),
      speed: speechSpeed.nullish(),
      use_speaker_boost: z.boolean().nullish(),
    })
    .catchall(z.union([z.string(), z.number(), z.boolean()]).nullish())
    .nullish(),
})

/** Query of the routes that send sound. */
export const soundQuery = z.object({
  /** Codec, samples a second, and for some codecs thousands of bits a second: `mp3_44100_128`, `pcm_16000`. */
  output_format: z.string().optional(),
})

/** Body of `POST /v1/text-to-speech/:voice_id`. */
export type VoiceSpeechRequest = z.infer<typeof voiceSpeechRequest>
