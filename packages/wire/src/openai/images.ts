import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'
import { anySeed, MAX_INT32 } from '../scalars.ts'

/** Most images of one request. */
const MAX_IMAGES = 10
/** Longest side of an image that may be asked for, in points. */
export const MAX_SIDE = 8192
/** Most steps of drawing. */
const MAX_STEPS = 1000
/** Most images that a prompt may bring along. */
const MAX_INPUT_IMAGES = 16

/** Size of an image as `WxH`, in points, or `auto`. */
export const imageSize = z
  .string()
  .regex(/^(auto|[1-9]\d{0,3}x[1-9]\d{0,3})$/, 'must be auto or a size such as 512x512')
  .refine((size) => size.split('x').every((side) => !(Number(side) > MAX_SIDE)), `no side may exceed ${MAX_SIDE}`)

/** The form of images in a reply. */
export const imageResponseFormat = z.enum(['url', 'b64_json'])

/** An image: an http or https URL, a data URL, or base64. */
const imageText = z.string().min(1)
const images = endAtFirstFault(z.array(imageText).max(MAX_INPUT_IMAGES)).nullish()
const steps = z.int().min(1).max(MAX_STEPS)

/** Body of `POST /v1/images/generations`. Unknown keys survive; an optional field that is `null` counts as absent. */
export const imageRequest = z.looseObject({
  model: z.string().nullish(),
  /** The part after the first `|` says what the image must not show. */
  prompt: z.string().min(1),
  negative_prompt: z.string().nullish(),
  /** @default 1 */
  n: z.int().min(1).max(MAX_IMAGES).nullish(),
  /** @default '512x512' */
  size: imageSize.nullish(),
  /** A number is the number of steps; words are ignored. */
  quality: z.union([z.string(), z.number()]).nullish(),
  /** Steps of drawing. @default the model's own, else 15 */
  step: steps.nullish(),
  seed: anySeed.nullish(),
  clip_skip: z.int().min(0).max(MAX_INT32).nullish(),
  /** @default 'url' */
  response_format: imageResponseFormat.nullish(),
  /** The image to start from. */
  file: imageText.nullish(),
  /** Further images; without `file` the first one is the one to start from. */
  files: images,
  ref_images: images,
  /** Sends each image in an event. @default false */
  stream: z.boolean().nullish(),
})

const word = z.string().exactOptional()
const digits = (max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .refine((text) => Number(text) >= 1 && Number(text) <= max, `must be 1 to ${max}`)

/** Text fields of the form of `POST /v1/images/edits`, beside the files `image` or `image[]` and `mask`. */
export const imageEditForm = z.looseObject({
  model: word,
  prompt: z.string().min(1),
  negative_prompt: word,
  /** @default 1 */
  n: digits(MAX_IMAGES).exactOptional(),
  /** @default '512x512' */
  size: imageSize.exactOptional(),
  quality: word,
  /** Steps of drawing. @default the model's own, else 25 */
  steps: digits(MAX_STEPS).exactOptional(),
  seed: z
    .string()
    .regex(/^-?\d{1,20}$/, 'must be a whole number')
    .exactOptional(),
  /** @default 'url' */
  response_format: imageResponseFormat.exactOptional(),
  /** Sends each image in an event. @default false */
  stream: z.stringbool().exactOptional(),
})

/**
 * Body of `POST /v1/images/upscale`: JSON, or the text fields of a form. The image is a text, or the file `image` of the
 * form.
 */
export const imageUpscaleForm = z.looseObject({
  model: z.string().nullish(),
  /** An image as text: an http or https URL, a data URL, or base64. @default the file `image` */
  image: z.string().min(1).nullish(),
  /** @default 2 */
  scale: z.union([z.enum(['2', '4']), z.literal([2, 4])]).nullish(),
  /** @default 'url' */
  response_format: imageResponseFormat.nullish(),
})

/** One image of a reply: its address, or its bytes in base64. */
export const imageData = z.looseObject({
  /** Place of the image in the request. */
  index: z.int().min(0),
  embedding: z.null(),
  url: z.string().exactOptional(),
  b64_json: z.string().exactOptional(),
})

/** Tokens of a request for images, under both names that clients read. Models of images count none. */
export const imageUsage = z.looseObject({
  input_tokens: z.int().min(0),
  output_tokens: z.int().min(0),
  total_tokens: z.int().min(0),
  prompt_tokens: z.int().min(0),
  completion_tokens: z.int().min(0),
  input_tokens_details: z.looseObject({ text_tokens: z.int().min(0), image_tokens: z.int().min(0) }),
})

/** Reply of the routes for images; `created` is in seconds. */
export const imageList = z.looseObject({
  id: z.string(),
  created: z.int(),
  data: z.array(imageData),
  /** The format that the model wrote: `png`, `jpeg`, `webp` or another. */
  output_format: z.string(),
  usage: imageUsage,
})

/** An event of streamed images: one whole image in base64. Models give no unfinished ones. */
export const imageEvent = z.looseObject({
  type: z.enum(['image_generation.completed', 'image_edit.completed']),
  b64_json: z.string(),
  /** Seconds. */
  created_at: z.int(),
  output_format: z.string(),
  size: z.string(),
  quality: z.string(),
  background: z.string(),
  usage: imageUsage,
})

/** An event of streamed images. */
export type ImageEvent = z.infer<typeof imageEvent>
/** Body of `POST /v1/images/generations`. */
export type ImageRequest = z.infer<typeof imageRequest>
/** Text fields of the form of `POST /v1/images/edits`. */
export type ImageEditForm = z.infer<typeof imageEditForm>
/** Text fields of the form of `POST /v1/images/upscale`. */
export type ImageUpscaleForm = z.infer<typeof imageUpscaleForm>
/** One image of a reply. */
export type ImageData = z.infer<typeof imageData>
/** Reply of the routes for images. */
export type ImageList = z.infer<typeof imageList>
