import * as z from 'zod'
import { count, findNoFloat32, positiveFloat32, unitInterval } from '../scalars.ts'

const positive = z.coerce.number().pipe(positiveFloat32)
const number = z.coerce.number().pipe(count)

/** Samples, checked by one loop up to the first fault: a schema for each of millions of numbers takes seconds. */
const samples = z
  .custom<number[]>()
  .superRefine((value: unknown, context) => {
    const message = findFaultOfSamples(value)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })
  .meta({ type: 'array', items: { type: 'number' }, minItems: 1 })

function findFaultOfSamples(value: unknown): string | undefined {
  if (value === undefined) return 'is required'
  if (!Array.isArray(value)) return 'must be an array of numbers'
  if (value.length === 0) return 'must have at least 1 number'
  const wrong = findNoFloat32(value)
  return wrong < 0 ? undefined : `must have numbers that a 32-bit float can hold, also at ${wrong}`
}

/** Body of `POST /v1/audio/vad`. */
export const vadRequest = z.looseObject({
  model: z.string().nullish(),
  /** Samples of one channel, 16,000 a second, mostly in -1..1. */
  audio: samples,
})

/** Reply of `POST /v1/audio/vad`: the parts with speech, in seconds. */
export const vadReply = z.looseObject({
  segments: z.array(z.looseObject({ start: z.number().min(0), end: z.number().min(0) })),
})

/** Reply of `GET /v1/voices`: the voices of a model, the default one first. */
export const voicesReply = z.looseObject({
  object: z.literal('list'),
  model: z.string(),
  voices: z.array(
    z.looseObject({
      /** The name that requests give as `voice`. */
      id: z.string(),
      name: z.string(),
      /** ISO 639-1 code; null where it is not known. */
      language: z.string().nullable(),
    }),
  ),
})

/** Form of `POST /v1/audio/diarization`. Its field `file` is the sound; 0 leaves a choice to the model. */
export const diarizationForm = z.looseObject({
  model: z.string().nullish(),
  num_speakers: number.nullish(),
  min_speakers: number.nullish(),
  max_speakers: number.nullish(),
  clustering_threshold: positive.nullish(),
  /** Least seconds of speech. */
  min_duration_on: positive.nullish(),
  /** Least seconds of silence. */
  min_duration_off: positive.nullish(),
  language: z.string().nullish(),
  include_text: z.stringbool().nullish(),
  /** @default json */
  response_format: z.enum(['json', 'verbose_json', 'rttm']).nullish(),
})

/** Reply of `POST /v1/audio/diarization`: the parts of a recording by speaker. */
export const diarizationReply = z.looseObject({
  task: z.literal('diarize'),
  /** Seconds. */
  duration: z.number().min(0).exactOptional(),
  language: z.string().exactOptional(),
  num_speakers: z.int().min(0),
  segments: z.array(
    z.looseObject({
      id: z.int().min(0),
      /** `SPEAKER_00` is who speaks first. */
      speaker: z.string(),
      /** The name that the model gave. */
      label: z.string().exactOptional(),
      start: z.number().min(0),
      end: z.number().min(0),
      /** With `verbose_json` and `include_text`. */
      text: z.string().exactOptional(),
    }),
  ),
  /** With `verbose_json`. */
  speakers: z
    .array(
      z.looseObject({
        id: z.string(),
        label: z.string().exactOptional(),
        total_speech_duration: z.number().min(0),
        segment_count: z.int().min(1),
      }),
    )
    .exactOptional(),
})

/** Form of `POST /v1/audio/classification`. Its field `file` is the sound. */
export const soundClassificationForm = z.looseObject({
  model: z.string().nullish(),
  /** Most classes in the reply; 0 = all. @default 0 */
  top_k: number.nullish(),
  /** Classes below this score are left out. @default 0 */
  threshold: z.coerce.number().pipe(unitInterval).nullish(),
})

/** Reply of `POST /v1/audio/classification`, the best class first. */
export const soundClassificationReply = z.looseObject({
  model: z.string(),
  detections: z.array(z.looseObject({ index: z.int(), label: z.string(), score: z.number() })),
})

/** Body of `POST /v1/audio/vad`. */
export type VadRequest = z.infer<typeof vadRequest>
/** Reply of `POST /v1/audio/vad`. */
export type VadReply = z.infer<typeof vadReply>
/** Reply of `GET /v1/voices`. */
export type VoicesReply = z.infer<typeof voicesReply>
/** Form of `POST /v1/audio/diarization`. */
export type DiarizationForm = z.infer<typeof diarizationForm>
/** Reply of `POST /v1/audio/diarization`. */
export type DiarizationReply = z.infer<typeof diarizationReply>
/** Form of `POST /v1/audio/classification`. */
export type SoundClassificationForm = z.infer<typeof soundClassificationForm>
/** Reply of `POST /v1/audio/classification`. */
export type SoundClassificationReply = z.infer<typeof soundClassificationReply>
