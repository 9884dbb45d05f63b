import { type Fields, readWhole, toFields, tryParseJson } from '@svc/proxy/replies'
import { type GeneratedKind, readGenerated } from './generated-content.ts'
import { dropZeros, readContentType, type ServiceCall, type ServiceTransport } from './transport.ts'

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
  /** Base64 of reference images. */
  readonly references: readonly string[]
}

/** Generates an image file. */
export function makeImage(
  transport: ServiceTransport,
  input: ImageInput,
  call: ServiceCall,
): Promise<AsyncIterable<Uint8Array>> {
  const { prompt, negativePrompt, width, height, steps, seed, source, references } = input
  const json = {
    // One text holds both, split at its first bar.
    prompt: negativePrompt === '' ? prompt : `${prompt}|${negativePrompt}`,
    n: 1,
    response_format: 'b64_json',
    ...dropZeros({
      size: width > 0 && height > 0 ? `${width}x${height}` : '',
      step: steps,
      seed,
      file: source,
      ref_images: references,
    }),
  }
  return make(transport, { path: '/v1/images/generations', kind: 'images', json }, call)
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
const MAX_LIST_BYTES = 512 * 1024 * 1024

/** Some routes reply with the file itself, others with a list. */
async function make(
  transport: ServiceTransport,
  { path, kind, json }: { readonly path: string; readonly kind: GeneratedKind; readonly json: Fields },
  call: ServiceCall,
): Promise<AsyncIterable<Uint8Array>> {
  const body = { json: { model: transport.target.model, ...json } }
  const reply = await transport.fetch(path, body, { ...call, streams: false })
  if (!/^(?:application\/json|text\/|$)/.test(readContentType(reply))) return reply.body
  const list = toFields(tryParseJson(new TextDecoder().decode(await readWhole(reply.body, MAX_LIST_BYTES))))
  return readGenerated(transport, { reply: list, path, kind }, call)
}
