import type { OperationRunner } from '../operation-runner.ts'
import type { MadeFiles } from './image-operations.ts'
import { IMAGE_RULES, makeFiles } from './made-files.ts'

/** Enlarges an image. */
export const runUpscaleImage: OperationRunner<'upscale-image'> = ({ source, scale }, context): Promise<MadeFiles> =>
  makeFiles(context, {
    rules: IMAGE_RULES,
    ask: (dst) => context.client.upscaleImage({ src: source, dst, scale }, { signal: context.signal }),
    onMade: (images) => context.onMedia?.({ images }),
  })
