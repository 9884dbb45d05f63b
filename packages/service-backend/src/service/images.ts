import { type Fields, readWhole, toFields, tryParseJson } from '@svc/proxy/replies'
import { type GeneratedKind, readGenerated } from './generated-content.ts'
import type { FormField, FormFile } from './multipart.ts'
import { dropZeros, readContentType, type ServiceBody, type ServiceCall, type ServiceTransport } from './transport.ts'

/** An image to generate. Zeros and empty values are left out. */
export interface ImageInput {
  readonly prompt: string
  readonly negativePrompt: string
  readonly width: number
  readonly height: number
  readonly steps: number
  readonly seed: number
  /** Base64 of a source image. */
  readonly source?: string | undefined
  /** An image to fill in where its mask says, instead of a source image. */
  readonly edit?: ImageEdit | undefined
  /** Base64 of reference images. */
  readonly references: readonly string[]
}

/** An image and the mask of the part to fill in: files of the same size. */
export interface ImageEdit {
  readonly image: Uint8Array
  readonly mask: Uint8Array
}

/** Generates an image file. */
export function makeImage(
  transport: ServiceTransport,
  input: ImageInput,
  call: ServiceCall,
): Promise<AsyncIterable<Uint8Array>> {
  if (input.edit !== undefined) return fillImage(transport, { ...input, edit: input.edit }, call)
  const { negativePrompt, steps, seed, source, references } = input
  const json = {
    prompt: joinPrompts(input.prompt, negativePrompt),
    n: 1,
    response_format: 'b64_json',
    ...dropZeros({
      size: toSize(input),
      step: steps,
      seed,
      file: source,
      ref_images: references,
    }),
  }
  return make(transport, { path: '/v1/images/generations', kind: 'images', json }, call)
}

/** Fills in a part of an image. */
async function fillImage(
  transport: ServiceTransport,
  input: ImageInput & { readonly edit: ImageEdit },
  call: ServiceCall,
): Promise<AsyncIterable<Uint8Array>> {
  const path = '/v1/images/inpainting'
  const { steps, seed, edit, references } = input
  const fields = dropZeros({ size: toSize(input), step: steps, seed })
  const form: readonly FormField[] = [
    ['model', transport.target.model],
    ['prompt', joinPrompts(input.prompt, input.negativePrompt)],
    ['n', 1],
    ['response_format', 'b64_json'],
    ...Object.entries(fields).map(([name, value]) => [name, String(value)] as const),
    ['image', toFormImage(edit.image, 'image')],
    ...references.map((data): FormField => ['image[]', toFormImage(Buffer.from(data, 'base64'), 'reference')]),
    ['mask', toFormImage(edit.mask, 'mask')],
  ]
  return readMade(transport, { path, kind: 'images', body: { form } }, call)
}

/** Writes a size as `WxH`; empty where none is asked for. */
export function toSize({ width, height }: Pick<ImageInput, 'width' | 'height'>): string {
  return width > 0 && height > 0 ? `${width}x${height}` : ''
}

/** One text holds both prompts, split at its first bar. */
function joinPrompts(prompt: string, negativePrompt: string): string {
  return negativePrompt === '' ? prompt : `${prompt}|${negativePrompt}`
}

/** First bytes of images, their type and the ending of their names. */
const IMAGE_TYPES = [
  [Buffer.from('\x89PNG', 'latin1'), 'png', 'image/png'],
  [Buffer.from('\xff\xd8\xff', 'latin1'), 'jpg', 'image/jpeg'],
  [Buffer.from('RIFF'), 'webp', 'image/webp'],
  [Buffer.from('GIF8'), 'gif', 'image/gif'],
] as const

/** Names an image by its bytes: receivers go by the name and the type. */
export function toFormImage(bytes: Uint8Array, stem: string): FormFile {
  const [, ending, type] = IMAGE_TYPES.find(([head]) => head.equals(bytes.subarray(0, head.length))) ?? IMAGE_TYPES[0]
  return { bytes, name: `${stem}.${ending}`, type }
}

/** Enlarges an image; returns a file. @param input.image base64 */
export function upscaleImage(
  transport: ServiceTransport,
  input: { readonly image: string; readonly scale: number },
  call: ServiceCall,
): Promise<AsyncIterable<Uint8Array>> {
  const json = { image: input.image, response_format: 'b64_json', ...dropZeros({ scale: input.scale }) }
  return make(transport, { path: '/v1/images/upscale', kind: 'images', json }, call)
}

/** A video to generate. Zeros and empty values are left out. */
export interface VideoInput {
  readonly prompt: string
  readonly negativePrompt: string
  /** Base64. */
  readonly startImage: string
  /** Base64. */
  readonly endImage: string
  /** Base64. */
  readonly audio: string
  readonly width: number
  readonly height: number
  readonly frames: number
  readonly framesPerSecond: number
  readonly seed: number
  readonly cfgScale: number
  readonly steps: number
  readonly params: Readonly<Record<string, string>>
}

/** Generates a video file. */
export function makeVideo(
  transport: ServiceTransport,
  input: VideoInput,
  call: ServiceCall,
): Promise<AsyncIterable<Uint8Array>> {
  const json = {
    prompt: input.prompt,
    response_format: 'b64_json',
    ...dropZeros({
      negative_prompt: input.negativePrompt,
      start_image: input.startImage,
      end_image: input.endImage,
      audio: input.audio,
      width: input.width,
      height: input.height,
      num_frames: input.frames,
      fps: input.framesPerSecond,
      seed: input.seed,
      cfg_scale: input.cfgScale,
      step: input.steps,
      params: input.params,
    }),
  }
  return make(transport, { path: '/video', kind: 'videos', json }, call)
}

/** A 3D model to generate from an image. Zeros and empty values are left out. */
export interface ShapeInput {
  /** Base64. */
  readonly image: string
  readonly seed: number
  readonly steps: number
  readonly cfgScale: number
  readonly textureSteps: number
  readonly quality: string
  readonly background: string
  readonly params: Readonly<Record<string, string>>
}

/** Generates a 3D model file. */
export function makeShape(
  transport: ServiceTransport,
  input: ShapeInput,
  call: ServiceCall,
): Promise<AsyncIterable<Uint8Array>> {
  const json = {
    image: input.image,
    response_format: 'b64_json',
    ...dropZeros({
      seed: input.seed,
      step: input.steps,
      cfg_scale: input.cfgScale,
      texture_steps: input.textureSteps,
      quality: input.quality,
      background: input.background,
      params: input.params,
    }),
  }
  return make(transport, { path: '/3d/generations', kind: '3d', json }, call)
}

/** The largest reply with a list of generated files, in bytes. */
export const MAX_LIST_BYTES = 512 * 1024 * 1024

function make(
  transport: ServiceTransport,
  { path, kind, json }: { readonly path: string; readonly kind: GeneratedKind; readonly json: Fields },
  call: ServiceCall,
): Promise<AsyncIterable<Uint8Array>> {
  return readMade(transport, { path, kind, body: { json: { model: transport.target.model, ...json } } }, call)
}

/** Some routes reply with the file itself, others with a list. */
async function readMade(
  transport: ServiceTransport,
  { path, kind, body }: { readonly path: string; readonly kind: GeneratedKind; readonly body: ServiceBody },
  call: ServiceCall,
): Promise<AsyncIterable<Uint8Array>> {
  const reply = await transport.fetch(path, body, { ...call, streams: false })
  if (!/^(?:application\/json|text\/|$)/.test(readContentType(reply))) return reply.body
  const list = toFields(tryParseJson(new TextDecoder().decode(await readWhole(reply.body, MAX_LIST_BYTES))))
  return readGenerated(transport, { reply: list, path, kind }, call)
}
