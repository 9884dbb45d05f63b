import type { ImageData, ImageList, ImageRequest } from '@svc/wire/openai'
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
  readonly form: FileForm | null | undefined
  readonly owner: string
  readonly store: ImageStore
  /** Whether a failure of the disk has the text that the specification gives. @default false */
  readonly namesStorage?: boolean | undefined
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
  { form, owner, store, namesStorage = false }: ImageCallOptions,
): OperationCall {
  return {
    kind: 'operation',
    request,
    async perform(run) {
      try {
        const { files } = await run<K>(request)
        const [format = 'png'] = files.map(({ mediaType }) => mediaType.slice(mediaType.indexOf('/') + 1))
        return await encodeMade(files, {
          form: form ?? 'url',
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
        })
      } catch (error) {
        throw namesStorage ? toStorageFailure(error) : error
      }
    },
  }
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
