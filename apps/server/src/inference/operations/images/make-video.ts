import type { OperationRunner } from '../operation-runner.ts'
import type { MadeFiles } from './image-operations.ts'
import { makeFiles, VIDEO_RULES } from './made-files.ts'
import { readFilmSeconds } from './read-film-seconds.ts'

/** Makes a film. */
export const runMakeVideo: OperationRunner<'make-video'> = async (request, context): Promise<MadeFiles> => {
  const { client, model, signal } = context
  const { parameters, llm } = model
  const { frames = 0, framesPerSecond = 0, seed = parameters.seed } = request
  const made = await makeFiles(context, {
    rules: VIDEO_RULES,
    ask: (dst) =>
      client.generateVideo(
        {
          prompt: request.prompt,
          negativePrompt: request.negativePrompt ?? parameters.negativePrompt ?? '',
          startImage: request.startImage ?? '',
          endImage: request.endImage ?? '',
          audio: request.audio ?? '',
          width: request.width ?? 0,
          height: request.height ?? 0,
          numFrames: frames,
          fps: framesPerSecond,
          seed: seed === undefined || seed === -1 ? 0 : seed | 0,
          cfgScale: request.cfgScale ?? llm.cfgScale ?? 0,
          step: request.steps ?? model.step ?? 0,
          params: { ...request.params },
          dst,
          ModelIdentity: parameters.model ?? '',
        },
        { signal },
      ),
    onMade: () => undefined,
  })
  const asked = framesPerSecond > 0 ? frames / framesPerSecond : 0
  const [film] = made.files
  const seconds = (film === undefined ? undefined : await readFilmSeconds(film.path)) ?? asked
  if (seconds > 0) context.onMedia?.({ seconds })
  return made
}
