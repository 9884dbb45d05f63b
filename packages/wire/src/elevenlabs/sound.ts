import * as z from 'zod'
import { count, unitInterval } from '../scalars.ts'

/** Body of `POST /v1/sound-generation`. */
export const soundGenerationRequest = z.looseObject({
  text: z.string().min(1),
  model_id: z.string().nullish(),
  /** @default the model's own */
  duration_seconds: z.number().gt(0).max(3600).nullish(),
  /** Goes to the backend as the temperature. */
  prompt_influence: unitInterval.nullish(),
  do_sample: z.boolean().nullish(),
  think: z.boolean().nullish(),
  caption: z.string().nullish(),
  lyrics: z.string().nullish(),
  bpm: count.nullish(),
  keyscale: z.string().nullish(),
  language: z.string().nullish(),
  vocal_language: z.string().nullish(),
  timesignature: z.string().nullish(),
  instrumental: z.boolean().nullish(),
})

/** Body of `POST /v1/sound-generation`. */
export type SoundGenerationRequest = z.infer<typeof soundGenerationRequest>
