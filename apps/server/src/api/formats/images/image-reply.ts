import type { ImageData, ImageEvent, ImageList, ImageRequest } from '@svc/wire/openai'
import type { GeneratedFiles } from '../../../generated-files/generated-files.ts'
import type { MadeFiles } from '../../../inference/operations/images/image-operations.ts'
import type { OperationKind, OperationRequest, Operations } from '../../../inference/operations/operation.ts'
import type { OperationCall } from '../../../inference/replies/wire-format.ts'
import { toStorageFailure } from './input-images.ts'
import { encodeMade, type FileForm } from './made-reply.ts'

/** Store of the images that clients fetch. */
export type ImageStore = Pick<GeneratedFiles, 'checkRoom' | 'keep' | 'discard'>

/** Kinds of operations that make files. */
type MakingKind = { [K in OperationKind]: Operations[K]['result'] extends MadeFiles ? K : never }[OperationKind]

/** Options of {@link toImageCall}. */
export interface ImageCallOptions {
  readonly form: FileForm
  readonly owner: string
  readonly store: ImageStore
  /** Whether a failure of the disk has the text that the specification gives. @default false */
  readonly namesStorage?: boolean | undefined
  /** Type of the events of a stream. @default 'image_generation.completed' */
  readonly event?: ImageEvent['type'] | undefined
}

const NO_TOKENS: ImageList['usage'] = {
  input_tokens: 0,
  output_tokens: 0,
  total_tokens: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  input_tokens_details: { text_tokens: 0, image_tokens: 0 },
}

/** Joins an operation that makes images and the encoder of their list. */
export function toImageCall<K extends Extract<MakingKind, 'make-image' | 'upscale-image'>>(
  request: OperationRequest<K>,
  { form, owner, store, namesStorage = false, event = 'image_generation.completed' }: ImageCallOptions,
): OperationCall {
  return {
    kind: 'operation',
    request,
    async perform(run) {
      try {
        const { files } = await run<K>(request)
        const [format = 'png'] = files.map(({ mediaType }) => toFormat(mediaType))
        return await encodeMade(files, {
          form,
          kind: 'images',
          owner,
          store,
          envelope: ({ requestId, created }, data): ImageList => ({
            id: requestId,
            created,
            output_format: format,
            usage: NO_TOKENS,
            data: data as ImageData[],
          }),
          item: (index) => ({ index, embedding: null }),
          event: ({ created }, { mediaType }) => ({
            type: event,
            created_at: created,
            output_format: toFormat(mediaType),
            size: request.kind === 'make-image' ? `${request.width}x${request.height}` : 'auto',
            quality: 'auto',
            background: 'auto',
            usage: NO_TOKENS,
          }),
        })
      } catch (error) {
        throw namesStorage ? toStorageFailure(error) : error
      }
    },
  }
}

/** Gives `png` for `image/png`. */
function toFormat(mediaType: string): string {
  return mediaType.slice(mediaType.indexOf('/') + 1)
}

/** Names of a provider's models. */
const PROVIDER_MODELS = /^(?:chat)?gpt-image-/

/**
 * Whether a model has the name of a provider's. Clients rely on what those do: without a word their images come in the
 * reply itself, and an image may be changed as a whole, without a mask.
 */
export function namesProvider(model: string | null | undefined): boolean {
  return PROVIDER_MODELS.test(model ?? '')
}

/** Chooses the form of the images: a stream, the one asked for, or else that of the model's name. */
export function chooseForm(body: Pick<ImageRequest, 'response_format' | 'model' | 'stream'>): FileForm {
  if (body.stream === true) return 'events'
  return body.response_format ?? (namesProvider(body.model) ? 'b64_json' : 'url')
}

/** A prompt and what the image must not show. */
export interface SplitPrompt {
  readonly prompt: string
  readonly negativePrompt?: string | undefined
}

/** Splits a prompt at its first bar. */
export function splitPrompt({
  prompt,
  negative_prompt: negative,
}: Pick<ImageRequest, 'prompt' | 'negative_prompt'>): SplitPrompt {
  const bar = prompt.indexOf('|')
  if (bar < 0) return { prompt, negativePrompt: negative ?? undefined }
  return { prompt: prompt.slice(0, bar), negativePrompt: prompt.slice(bar + 1) }
}

/** Size of images that a request leaves open. */
const DEFAULT_SIDE = 512

/** Reads a size that the schema has checked. */
export function readSize(size: string | null | undefined): { readonly width: number; readonly height: number } {
  if (size == null || size === 'auto') return { width: DEFAULT_SIDE, height: DEFAULT_SIDE }
  const [width = DEFAULT_SIDE, height = DEFAULT_SIDE] = size.split('x').map(Number)
  return { width, height }
}

/** Reads the number of steps from a quality: a number that a model can do. Words say nothing here. */
export function readQuality(quality: string | number | null | undefined): number | undefined {
  const steps = Number(quality ?? Number.NaN)
  return Number.isInteger(steps) && steps >= 1 && steps <= MAX_STEPS ? steps : undefined
}

const MAX_STEPS = 1000
