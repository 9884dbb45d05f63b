import { chooseSeed } from '../../engine/choose-seed.ts'
import type { OperationRunner } from '../operation-runner.ts'
import { IMAGE_RULES, type MadeFiles, makeFiles } from './made-files.ts'

/** A prompt to draw. */
export interface MakeImageRequest {
  readonly kind: 'make-image'
  readonly prompt: string
  /** Text that says what the image must not show. @default the model's own */
  readonly negativePrompt?: string | undefined
  /** Number of images, at least 1. */
  readonly count: number
  /** Points. */
  readonly width: number
  readonly height: number
  /** Steps of drawing. @default the model's own, else {@link defaultSteps} */
  readonly steps?: number | undefined
  readonly defaultSteps: number
  /** Seed of the first image; the next ones count on. @default the model's own, else at random */
  readonly seed?: number | undefined
  /** Layers of the text encoder that are left out. @default the model's own */
  readonly clipSkip?: number | undefined
  /** Path of the image to start from. @default none */
  readonly source?: string | undefined
  /** Paths of further images. */
  readonly references: readonly string[]
}

/** Draws images, one call for each. */
export const runMakeImage: OperationRunner<'make-image'> = (request, context): Promise<MadeFiles> => {
  const { client, model, signal } = context
  const { parameters, diffusers } = model
  const asked = {
    positivePrompt: request.prompt,
    negativePrompt: request.negativePrompt ?? parameters.negativePrompt ?? '',
    width: request.width,
    height: request.height,
    step: request.steps ?? model.step ?? request.defaultSteps,
    src: request.source ?? '',
    refImages: [...request.references],
    EnableParameters: diffusers.enableParameters ?? '',
    CLIPSkip: request.clipSkip ?? parameters.clipSkip ?? diffusers.clipSkip ?? 0,
    ModelIdentity: parameters.model ?? '',
  }
  return makeFiles(context, {
    rules: IMAGE_RULES,
    count: request.count,
    ask(dst, index) {
      const seed = chooseSeed(request.seed ?? parameters.seed, { choice: index })
      return client.generateImage({ ...asked, seed, dst }, { signal })
    },
    onMade: (images) => context.onMedia?.({ images }),
  })
}
