import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'

/** The sound formats that a client may ask for. */
export const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const

/** A sound format that a client may ask for. */
export type SpeechFormat = (typeof SPEECH_FORMATS)[number]

/** Further settings for the backend, by names that it knows. */
const params = endAtFirstFault(z.record(z.string().max(100), z.union([z.string(), z.number(), z.boolean()])))

/** Speed of speech, 1 = normal. */
export const speechSpeed = z
  .number()
  .refine((speed) => speed >= 0.25 && speed <= 4, 'must be between 0.25 and 4')
  .meta({ minimum: 0.25, maximum: 4 })

/** Body of `POST /v1/audio/speech` and `POST /tts`. */
export const speechRequest = z.looseObject({
  model: z.string().nullish(),
  /** The text to speak. One of `input` and `text` is required. */
  input: z.string().nullish(),
  text: z.string().nullish(),
  /** Name of a voice. @default the voice of the model file */
  voice: z.union([z.string(), z.looseObject({ id: z.string() })]).nullish(),
  /** @default the format in which the backend writes, most often wav */
  response_format: z.enum(SPEECH_FORMATS).nullish(),
  speed: speechSpeed.nullish(),
  /** Sends the sound while it is made. @default false */
  stream: z.boolean().nullish(),
  /** `sse` sends the sound in events. @default audio */
  stream_format: z.enum(['audio', 'sse']).nullish(),
  instructions: z.string().nullish(),
  language: z.string().nullish(),
  /** Samples a second. @default as the backend makes them */
  sample_rate: z.int().min(4000).max(192_000).nullish(),
  params: params.nullish(),
})

const tokens = z.int().min(0)

/** An event of speech with `stream_format: sse`. */
export const speechEvent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('speech.audio.delta'), audio: z.string() }),
  z.looseObject({
    type: z.literal('speech.audio.done'),
    usage: z.looseObject({ input_tokens: tokens, output_tokens: tokens, total_tokens: tokens }),
  }),
  z.looseObject({ type: z.literal('error'), error: z.looseObject({ message: z.string(), type: z.string() }) }),
])

/** Body of `POST /v1/audio/speech`. */
export type SpeechRequest = z.infer<typeof speechRequest>
/** An event of streamed speech. */
export type SpeechEvent = z.infer<typeof speechEvent>
