import { chooseSeed } from '../../engine/choose-seed.ts'
import type { OperationRunner } from '../operation-runner.ts'
import type { MadeFiles } from './image-operations.ts'
import { IMAGE_RULES, makeFiles } from './made-files.ts'

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
