import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'
import { anySeed, positiveFloat32 } from '../scalars.ts'
import { imageResponseFormat, imageSize, MAX_SIDE } from './images.ts'

/** Most frames of a film. */
export const MAX_FRAMES = 10_000
/** Longest value of a setting in `params`. */
const MAX_PARAM_LENGTH = 65_536

const side = z.int().min(0).max(MAX_SIDE)
/** An http or https URL, a data URL, or base64. */
const medium = z.string().min(1)

/** Body of `POST /v1/video/generations`. 0 and absent numbers leave the choice to the model. */
export const videoRequest = z.looseObject({
  model: z.string().nullish(),
  prompt: z.string().min(1),
  negative_prompt: z.string().nullish(),
  /** The first image of the film. */
  start_image: medium.nullish(),
  /** The same as `start_image`. */
  input_reference: medium.nullish(),
  /** The last image of the film. */
  end_image: medium.nullish(),
  /** Sound of the film. */
  audio: medium.nullish(),
  width: side.nullish(),
  height: side.nullish(),
  /** Width and height as `WxH`, where they are not given. */
  size: imageSize.nullish(),
  num_frames: z.int().min(0).max(MAX_FRAMES).nullish(),
  /** Frames in a second. */
  fps: z.int().min(0).max(240).nullish(),
  /** Length in seconds, where the number of frames is not given. */
  seconds: z
    .union([
      z.string().regex(/^\d{1,4}(\.\d{1,3})?$/, 'must be a number of seconds'),
      z.number().min(0).max(MAX_FRAMES),
    ])
    .nullish(),
  seed: anySeed.nullish(),
  cfg_scale: positiveFloat32.nullish(),
  step: z.int().min(0).max(1000).nullish(),
  /** @default 'url' */
  response_format: imageResponseFormat.nullish(),
  /** Further settings, as the backend names them. */
  params: endAtFirstFault(z.record(z.string(), z.string().max(MAX_PARAM_LENGTH))).nullish(),
})

/** Reply of `POST /v1/video/generations`; `created` is in seconds. */
export const videoList = z.looseObject({
  id: z.string(),
  created: z.int(),
  data: z.array(z.looseObject({ url: z.string().exactOptional(), b64_json: z.string().exactOptional() })),
})

/** Body of `POST /v1/video/generations`. */
export type VideoRequest = z.infer<typeof videoRequest>
/** Reply of `POST /v1/video/generations`. */
export type VideoList = z.infer<typeof videoList>
