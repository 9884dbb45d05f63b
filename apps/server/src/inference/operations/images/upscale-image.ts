import type { OperationRunner } from '../operation-runner.ts'
import { IMAGE_RULES, type MadeFiles, makeFiles } from './made-files.ts'

/** An image to enlarge. */
export interface UpscaleImageRequest {
  readonly kind: 'upscale-image'
  /** Path of the image. */
  readonly source: string
  /** How many times wider and higher it becomes. */
  readonly scale: number
}

/** Enlarges an image. */
export const runUpscaleImage: OperationRunner<'upscale-image'> = ({ source, scale }, context): Promise<MadeFiles> =>
  makeFiles(context, {
    rules: IMAGE_RULES,
    ask: (dst) => context.client.upscaleImage({ src: source, dst, scale }, { signal: context.signal }),
    onMade: (images) => context.onMedia?.({ images }),
  })
